/**
 * Secrets in files that are read in pieces of every size. A placeholder is longer or shorter than its secret:
 * a replay without the values gives each read as many bytes as it gave, and writes the same records.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EventTape } from '../../src/tape/index.ts'
import { recordProgram } from '../support/recorded-program.ts'

const env = {
  A_RATHER_LONG_NAME_OF_A_SECRET: 'a7KU0LIYQG+b2fqfv',
  TOKEN: 'Zq9-known-secret+value/7-that-is-longer-than-its-placeholder',
}
const [long, short] = Object.values(env) as [string, string]

const program = `
  import fs from 'node:fs'
  const sizes = []
  for (const name of fs.readdirSync('texts').sort()) {
    for (const size of [1, 2, 3, 5, 7, 11, 16, 24, 40]) {
      const file = fs.openSync('texts/' + name, 'r')
      const piece = Buffer.alloc(size)
      let reads = 0
      while (fs.readSync(file, piece) > 0) reads += 1
      fs.closeSync(file)
      sizes.push(reads)
    }
  }
  for await (const piece of fs.createReadStream('texts/0', { highWaterMark: 9 })) sizes.push(piece.length > 0)
  console.log(sizes.join(' '))
`

test('every read gives as many bytes as it gave', async () => {
  const texts = [
    `aaaa ${long} b\n`,
    `${long}`,
    `a ${short} and ${long} and then some more text\n`,
    `${long} ${long} ${short}`,
    `text before it, ${short}${long}\n`,
    `x=${long}\ny=${short}\nz=nothing\n`,
  ]
  const files = Object.fromEntries(texts.map((text, at) => [`texts-${at}`, text]))
  const source = `
    import fs from 'node:fs'
    fs.mkdirSync('texts', { recursive: true })
    for (let at = 0; at < ${texts.length}; at += 1) fs.copyFileSync('texts-' + at, 'texts/' + at)
    await import('./reads.mjs')`
  const recorded = await recordProgram(source, env, 'agent.mjs', [], { ...files, 'reads.mjs': program })
  expect(recorded.recorded.code).toBe(0)
  const tape = JSON.stringify(EventTape.loadSync(recorded.tape).records)
  for (const value of [long, short]) expect(tape).not.toContain(value)
  for (const [at] of texts.entries()) writeFileSync(join(recorded.folder, `texts-${at}`), 'gone')
  const replayed = await recorded.replay()
  expect(replayed.report).toMatchObject({ verdict: 'faithful', divergences: [] })
})
