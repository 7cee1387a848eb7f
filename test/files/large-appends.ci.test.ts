/**
 * Large files that a program appends to: in pieces by a stream, and at once. The tape has the whole content, a
 * secret is replaced also if it comes in two pieces, and a replay finds another appended part.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EventTape } from '../../src/tape/index.ts'
import { recordProgram } from '../support/recorded-program.ts'

const SECRET = 'Zq9knownSecret7value8x'
const env = { MY_SECRET: SECRET }

const HEAD = `
  import fs from 'node:fs'
  import { Readable } from 'node:stream'
  import { pipeline } from 'node:stream/promises'
  const secret = process.env.MY_SECRET ?? ''
  const block = Buffer.alloc(64 * 1024, 'text of a large file\\n')
`

/** Appends 9 MB to a short file, then `more`. */
const appends = (more: string, block = 'block') => `${HEAD}
  fs.writeFileSync('log.txt', 'first line\\n')
  function* pieces() {
    for (let at = 0; at < 143; at += 1) yield block
    yield ${block}
    yield 'key ' + secret + ' end\\n'
  }
  await pipeline(Readable.from(pieces()), fs.createWriteStream('log.txt', { flags: 'a' }))
  ${more}
  console.log(fs.statSync('log.txt').size)
`

function contentsOf(tape: string): string[] {
  return EventTape.loadSync(tape).records.flatMap(({ kind }) => {
    if (kind.kind !== 'file_write' || kind.payload === undefined) return []
    if (kind.payload.form === 'inline') return [kind.payload.text]
    return [readFileSync(join(`${tape}.cas`, kind.contentHash)).toString('latin1')]
  })
}

test('by a stream, with a secret; the whole content is on the tape', async () => {
  const program = await recordProgram(appends(''), env)
  expect(program.recorded.code).toBe(0)
  const [, content = ''] = contentsOf(program.tape)
  expect(content.startsWith('first line\ntext of a large file\n')).toBe(true)
  expect(content.endsWith('key <redacted:env:MY_SECRET> end\n')).toBe(true)
  expect((await program.replay()).report.verdict).toBe('faithful')
  program.change(appends('', `Buffer.alloc(64 * 1024, 'other text\\\\n')`))
  const { report } = await program.replay()
  expect(report).toMatchObject({
    verdict: 'diverged',
    divergences: expect.arrayContaining([expect.objectContaining({ category: 'content' })]),
  })
})

const two = (last: string) => `
  fs.appendFileSync('log.txt', 'then ' + secret.slice(0, 12))
  fs.appendFileSync('log.txt', secret.slice(12) + ${JSON.stringify(last)})`

test('a secret in two pieces at the end of a large file; a short piece that differs', async () => {
  const program = await recordProgram(appends(two(' end\n')), env)
  expect(program.recorded.code).toBe(0)
  const contents = contentsOf(program.tape)
  for (const content of contents) expect(content).not.toMatch(/Zq9know|value8x/)
  expect(contents.at(-2)?.endsWith('then <redacted:unfinished>')).toBe(true)
  expect(contents.at(-1)?.endsWith('then <redacted:env:MY_SECRET> end\n')).toBe(true)
  expect((await program.replay()).report.verdict).toBe('faithful')
  program.change(appends(two(' another end\n')))
  const { report } = await program.replay()
  expect(report).toMatchObject({ verdict: 'diverged' })
  expect(JSON.stringify(report.divergences)).toContain('another end')
})

test('the beginning of a secret at the end of a stream, and the rest by another one', async () => {
  const source = `${HEAD}
    fs.writeFileSync('log.txt', '')
    function* pieces() {
      for (let at = 0; at < 144; at += 1) yield block
      yield secret.slice(0, 12)
    }
    await pipeline(Readable.from(pieces()), fs.createWriteStream('log.txt', { flags: 'a' }))
    await pipeline(Readable.from([secret.slice(12), ' end\\n']), fs.createWriteStream('log.txt', { flags: 'a' }))`
  const program = await recordProgram(source, env)
  expect(program.recorded.code).toBe(0)
  const contents = contentsOf(program.tape)
  for (const content of contents) expect(content).not.toMatch(/Zq9know|value8x/)
  expect(contents.at(-1)?.endsWith('<redacted:env:MY_SECRET> end\n')).toBe(true)
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test('two writers at the same time, each with its own part', async () => {
  const source = `${HEAD}
    fs.writeFileSync('log.txt', Buffer.alloc(9e6, 'before\\n'))
    await Promise.all(['one\\n', 'two\\n', 'three\\n'].map((line) => fs.promises.appendFile('log.txt', line.repeat(500))))
    const [a, b] = [fs.openSync('log.txt', 'a'), fs.openSync('log.txt', 'a')]
    for (let at = 0; at < 20; at += 1) { fs.writeSync(a, 'from a\\n'); fs.writeSync(b, 'from b\\n') }
    fs.closeSync(a)
    fs.closeSync(b)
    console.log(fs.statSync('log.txt').size)`
  const program = await recordProgram(source)
  expect(program.recorded.code).toBe(0)
  expect((await program.replay()).report).toMatchObject({ verdict: 'faithful', divergences: [] })
})
