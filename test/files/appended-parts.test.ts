/**
 * A program that appends to a file line by line: each record has its line alone, and with the records before it
 * the whole content. A log of n lines takes n lines of the tape, not n copies of the log. The same holds if the
 * program opens the file, appends and closes it for each line.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentHash } from '../../src/base/index.ts'
import { EventTape, type Kind, payloadLength } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'

const SECRET = 'Zq9knownSecret7value8x'
const env = { MY_SECRET: SECRET }
const HEAD = `import fs from 'node:fs'; import { execFileSync } from 'node:child_process'
const secret = process.env.MY_SECRET ?? ''
const line = (n) => fs.appendFileSync('log.txt', 'line ' + n + ' of a log\\n')
`

type Write = Kind<'file_write'>
const writesOf = (tape: string): Write[] =>
  EventTape.loadSync(tape).records.flatMap(({ kind }) =>
    kind.kind === 'file_write' && kind.path.endsWith('log.txt') ? [kind] : [],
  )
const textOf = ({ payload }: Write): string => (payload?.form === 'inline' ? payload.text : '')
const isPart = ({ payload, lenBytes }: Write): boolean =>
  payload !== undefined && payloadLength(payload) < lenBytes

/** The content after each write, put together as docs/format/tape-v1.md describes it. */
function contentsOf(writes: readonly Write[]): string[] {
  let content = ''
  return writes.map((write) => {
    content = isPart(write) ? content.slice(0, write.from) + textOf(write) : textOf(write)
    return content
  })
}

function expectHashes(writes: readonly Write[]): void {
  for (const [at, content] of contentsOf(writes).entries()) {
    const { contentHash: hash, lenBytes } = writes[at] as Write
    expect([hash, lenBytes], `write ${at}`).toEqual([contentHash(Buffer.from(content)), content.length])
  }
}

test('each record has what was appended, and the hash of the whole file', async () => {
  const program = await recordProgram(`${HEAD} for (let n = 0; n < 400; n += 1) line(n)`)
  const writes = writesOf(program.tape)
  expect(writes).toHaveLength(400)
  expect(writes.slice(1).map(textOf)).toEqual(
    Array.from({ length: 399 }, (_, n) => `line ${n + 1} of a log\n`),
  )
  expectHashes(writes)
  // The state of the file at the end.
  expect(readdirSync(`${program.tape}.cas`)).toHaveLength(1)
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test('asynchronous calls, several files, and a file that was there before', async () => {
  const program = await recordProgram(
    `${HEAD} fs.writeFileSync('log.txt', 'first\\n')
    for (let n = 0; n < 5; n += 1) { await fs.promises.appendFile('log.txt', n + '\\n'); await fs.promises.appendFile('other.txt', n + '\\n') }
    await Promise.all([1, 2, 3, 4].map((n) => fs.promises.appendFile('log.txt', 'at once ' + n + '\\n')))
    line(9)`,
  )
  const writes = writesOf(program.tape)
  expectHashes(writes)
  expect(contentsOf(writes).at(-1)).toBe(readFileSync(join(program.folder, 'log.txt'), 'utf8'))
  expect((await program.replay()).report.verdict).toBe('faithful')
})

const BY_DESCRIPTOR = `${HEAD}
const sync = (text) => { const fd = fs.openSync('log.txt', 'a'); fs.writeSync(fd, text); fs.closeSync(fd) }
const handle = async (text) => { const file = await fs.promises.open('log.txt', 'a'); await file.write(text); await file.close() }
const stream = (text) => new Promise((done) => fs.createWriteStream('log.txt', { flags: 'a' }).end(text).on('close', done))
`

test.each([
  ['a descriptor', 'sync'],
  ['a file handle', 'handle'],
  ['a stream', 'stream'],
])('each close of %s records what was appended', async (_what, name) => {
  const program = await recordProgram(
    `${BY_DESCRIPTOR} for (let n = 0; n < 400; n += 1) await ${name}('line ' + n + ' of a log\\n')`,
  )
  const writes = writesOf(program.tape)
  expect(writes.slice(1).map(textOf)).toEqual(
    Array.from({ length: 399 }, (_, n) => `line ${n + 1} of a log\n`),
  )
  expectHashes(writes)
  expect(readdirSync(`${program.tape}.cas`)).toHaveLength(1)
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test('another line by a descriptor is a divergence with both values', async () => {
  const source = `${BY_DESCRIPTOR} for (let n = 0; n < 20; n += 1) sync('line ' + n + ' of a log\\n')`
  const program = await recordProgram(source)
  program.change(source.replace("sync('line ' + n", "sync('line ' + (n === 7 ? 70 : n)"))
  const { report, code } = await program.replay()
  expect(code).toBe(2)
  expect(JSON.stringify(report.divergences)).toContain('line 70 of a log')
  expect(JSON.stringify(report.divergences)).toContain('line 7 of a log')
})

test('a secret in pieces by descriptors is never on the tape', async () => {
  const program = await recordProgram(
    `${BY_DESCRIPTOR} sync('first\\n'); sync('key ' + secret.slice(0, 12)); await handle(secret.slice(12) + ' end\\n')
    await stream('whole ' + secret + '\\n'); line(3)`,
    env,
  )
  const writes = writesOf(program.tape)
  expect(readFileSync(program.tape, 'latin1')).not.toMatch(/knownSecr|Secret7/)
  expectHashes(writes)
  expect(contentsOf(writes).at(-1)).toContain('key <redacted:env:MY_SECRET> end\nwhole <redacted')
  expect(writes.slice(1).every(isPart)).toBe(true)
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test.each([
  [
    'two handles at once',
    "const [a, b] = [fs.openSync('log.txt', 'a'), fs.openSync('log.txt', 'a')]; fs.writeSync(a, 'aa'); fs.writeSync(b, 'bb'); fs.closeSync(a); fs.closeSync(b)",
  ],
  [
    'a handle that cuts the file first',
    "const fd = fs.openSync('log.txt', 'a+'); fs.ftruncateSync(fd, 3); fs.writeSync(fd, 'after\\n'); fs.closeSync(fd)",
  ],
  [
    'a handle that a child writes to',
    "const fd = fs.openSync('log.txt', 'a'); execFileSync('echo', ['child'], { stdio: ['ignore', fd, 'inherit'] }); fs.closeSync(fd)",
  ],
  [
    'a file that is removed and made again',
    "fs.unlinkSync('log.txt'); const fd = fs.openSync('log.txt', 'ax'); fs.writeSync(fd, 'new\\n'); fs.closeSync(fd)",
  ],
  [
    'an appendFile while a handle is open',
    "const fd = fs.openSync('log.txt', 'a'); fs.writeSync(fd, 'x'); line(7); fs.writeSync(fd, 'y'); fs.closeSync(fd)",
  ],
  [
    'a handle that writes nothing',
    "fs.closeSync(fs.openSync('log.txt', 'a')); sync(''); fs.appendFileSync('log.txt', '')",
  ],
])('what follows %s is recorded as it is', async (_what, between) => {
  const program = await recordProgram(
    `${BY_DESCRIPTOR} sync('one\\n'); sync('two\\n'); ${between}; sync('three\\n'); sync('four\\n')`,
  )
  const writes = writesOf(program.tape)
  const last = writes.at(-1) as Write
  expect(isPart(last)).toBe(true)
  const content = readFileSync(join(program.folder, 'log.txt'), 'utf8')
  expect([last.contentHash, last.lenBytes]).toEqual([contentHash(Buffer.from(content)), content.length])
  expect(contentsOf(writes).at(-1)).toBe(content)
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test('another line is a divergence with both values', async () => {
  const source = `${HEAD} for (let n = 0; n < 20; n += 1) line(n)`
  const program = await recordProgram(source)
  program.change(source.replace('line(n)', 'line(n === 7 ? 70 : n)'))
  const { report, code } = await program.replay()
  expect(code).toBe(2)
  expect(JSON.stringify(report.divergences)).toContain('line 70 of a log')
  expect(JSON.stringify(report.divergences)).toContain('line 7 of a log')
})

test('a secret in pieces is never on the tape, and a replay without it is faithful', async () => {
  const program = await recordProgram(
    `${HEAD} line(1)
    fs.appendFileSync('log.txt', 'key ' + secret.slice(0, 12)); fs.appendFileSync('log.txt', secret.slice(12) + ' end\\n')
    line(2); fs.appendFileSync('log.txt', 'whole ' + secret + '\\n'); line(3)`,
    env,
  )
  const writes = writesOf(program.tape)
  expect(readFileSync(program.tape, 'latin1')).not.toMatch(/knownSecr|Secret7/)
  expectHashes(writes)
  expect(contentsOf(writes).at(-1)).toContain('key <redacted:env:MY_SECRET> end\nline 2')
  expect(writes.slice(1).every(isPart)).toBe(true)
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test.each([
  ['a child appends too', "execFileSync('sh', ['-c', 'echo child >> log.txt'])"],
  [
    'the file is written anew with the same length',
    "fs.writeFileSync('log.txt', '#'.repeat(fs.statSync('log.txt').size))",
  ],
  ['it is cut', "fs.truncateSync('log.txt', 5)"],
  [
    'it is replaced',
    "fs.writeFileSync('next.txt', 'x'.repeat(fs.statSync('log.txt').size)); fs.renameSync('next.txt', 'log.txt')",
  ],
  [
    'it is written by descriptor',
    "const fd = fs.openSync('log.txt', 'r+'); fs.writeSync(fd, 'LINE', 0); fs.closeSync(fd)",
  ],
])('the next record has the whole content if %s', async (_what, between) => {
  const program = await recordProgram(`${HEAD} line(0); line(1); ${between}; line(2); line(3)`)
  const writes = writesOf(program.tape)
  expectHashes(writes)
  const [second, last] = writes.slice(-2)
  expect([second, last].map((write) => write !== undefined && isPart(write))).toEqual([false, true])
  expect(contentsOf(writes).at(-1)).toBe(readFileSync(join(program.folder, 'log.txt'), 'utf8'))
  expect((await program.replay()).report.verdict).toBe('faithful')
})

const LARGE = "fs.writeFileSync('log.txt', 'a line of text\\n'.repeat(600_000));"

test('a large file that was there before is on the tape once, and then what is appended', async () => {
  const program = await recordProgram(
    `${BY_DESCRIPTOR} ${LARGE} for (let n = 0; n < 5; n += 1) { line(n); sync('by descriptor\\n'); await stream('by stream\\n') }`,
  )
  const appends = writesOf(program.tape).slice(1)
  expect(appends.map(isPart)).toEqual([false, ...Array(14).fill(true)])
  const content = readFileSync(join(program.folder, 'log.txt'))
  const { contentHash: hash, lenBytes } = appends.at(-1) as Write
  expect([hash, lenBytes]).toEqual([contentHash(content), content.byteLength])
  // As it was written, after the first append, and at the end.
  expect(readdirSync(`${program.tape}.cas`)).toHaveLength(3)
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test('a secret in pieces at the end of a large file is never on the tape', async () => {
  const program = await recordProgram(
    `${BY_DESCRIPTOR} ${LARGE} sync('key ' + secret.slice(0, 12)); sync(secret.slice(12) + ' end\\n'); line(2); line(3)`,
    env,
  )
  const appends = writesOf(program.tape).slice(1)
  // An end that may go on as a secret keeps the next record whole.
  expect(appends.map(isPart)).toEqual([false, false, false, true])
  for (const name of readdirSync(`${program.tape}.cas`))
    expect(readFileSync(join(`${program.tape}.cas`, name), 'latin1')).not.toMatch(/knownSecr|Secret7/)
  expect((await program.replay()).report.verdict).toBe('faithful')
})

test('a scrubbed copy has no hash of content with the secret', async () => {
  const program = await recordProgram(
    `${HEAD} for (let n = 0; n < 4; n += 1) line(n); fs.appendFileSync('log.txt', '${SECRET}\\n'); line(5)`,
  )
  const before = writesOf(program.tape)
  const copy = join(program.folder, 'copy.tape')
  const result = await reprise(['scrub', program.tape, '--out', copy], { env: { ...process.env, ...env } })
  expect(result).toMatchObject({ code: 0 })
  const after = writesOf(copy)
  expect(after.slice(0, 4)).toEqual(before.slice(0, 4))
  for (const at of [4, 5]) expect(after[at]?.contentHash).toBe(after[at]?.payload?.contentHash)
  expect(textOf(after[4] as Write)).toBe('<redacted:env:MY_SECRET>\n')
})
