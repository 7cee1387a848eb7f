/**
 * The program that is measured: blocks of requests, one after another. It says a dot after each block, which
 * its parent times: a replay's own clock would tell the recorded times.
 */
import { writeSync } from 'node:fs'

const overFetch = async (url) => (await fetch(url)).json()

export async function work(ask = overFetch) {
  const base = process.env.BENCH_SERVER
  const blocks = Number(process.env.BENCH_BLOCKS)
  const size = Number(process.env.BENCH_SIZE)
  const say = (text) => writeSync(1, text)
  for (let block = 0; block <= blocks; block += 1) {
    // The first block is for warming up, and is not timed.
    for (let n = 0; n < size; n += 1) {
      const answer = await ask(`${base}/item?n=${block * size + n}`)
      if (answer.ok !== true) throw new Error('a wrong answer')
    }
    say('.')
  }
}
