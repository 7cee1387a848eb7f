/**
 * A candidate in a process of its own: for each line `n` on stdin it does n writes, and answers with the
 * milliseconds they took.
 */
import { createInterface } from 'node:readline'

export async function serveBlocks(write) {
  process.stdout.write('ready\n')
  let count = 0
  for await (const line of createInterface({ input: process.stdin })) {
    const start = performance.now()
    for (let left = Number(line); left > 0; left -= 1) await write(count++)
    process.stdout.write(`${performance.now() - start}\n`)
  }
}
