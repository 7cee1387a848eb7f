/**
 * Modes, flags and filters are part of what a program asks of its files: with others it is not the same
 * program.
 */
import fs from 'node:fs'
import fsp from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { withoutFeatures } from '../../../test/support/older-tape.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { record, replay } from '../library/in-process.ts'

let folder = ''
const at = (name: string): string => join(folder, name)
const opened = (body: (fd: number) => void): void => {
  const fd = fs.openSync(at('in/a.txt'), 'r+')
  body(fd)
  fs.closeSync(fd)
}
const streamed = (options: object): Promise<void> =>
  new Promise((resolve, reject) =>
    fs.createWriteStream(at('out'), options).on('error', reject).on('close', resolve).end('text'),
  )

beforeEach(() => {
  folder = tempFolder()
  fs.mkdirSync(at('in/deep'), { recursive: true })
  fs.writeFileSync(at('in/a.txt'), 'a')
  fs.writeFileSync(at('in/deep/b.txt'), 'b')
})

const rows: readonly (readonly [what: string, body: () => unknown, other: () => unknown, named: RegExp])[] = [
  [
    'the mode of writeFile',
    () => fs.writeFileSync(at('out'), 'x', { mode: 0o600 }),
    () => fs.writeFileSync(at('out'), 'x', { mode: 0o644 }),
    /"mode":"0600"/,
  ],
  [
    'a mode where there was none',
    () => fsp.writeFile(at('out'), 'x'),
    () => fsp.writeFile(at('out'), 'x', { mode: '755' }),
    /got .*"mode":"0755"/,
  ],
  [
    'the flag of writeFile',
    () => fs.writeFileSync(at('out'), 'x', { flag: 'wx' }),
    () => fs.writeFileSync(at('out'), 'x'),
    /"flag":"wx"/,
  ],
  ['the mode of mkdir', () => fs.mkdirSync(at('new'), 0o700), () => fs.mkdirSync(at('new')), /"0700"/],
  [
    'the mode of mkdir among options',
    () => fsp.mkdir(at('new'), { recursive: true, mode: 0o700 }),
    () => fsp.mkdir(at('new'), { recursive: true }),
    /"0700"/,
  ],
  [
    'the mode of open',
    () => fs.closeSync(fs.openSync(at('out'), 'w', 0o600)),
    () => fs.closeSync(fs.openSync(at('out'), 'w')),
    /"0600"/,
  ],
  [
    'the flags of open',
    () => fs.closeSync(fs.openSync(at('out'), 'wx')),
    () => fs.closeSync(fs.openSync(at('out'), 'w')),
    /"wx"/,
  ],
  [
    'the mode of a handle',
    async () => (await fsp.open(at('out'), 'w', 0o600)).close(),
    async () => (await fsp.open(at('out'), 'w')).close(),
    /"0600"/,
  ],
  ['the mode of a stream', () => streamed({ mode: 0o600 }), () => streamed({}), /"0600"/],
  ['the flags of a stream', () => streamed({ flags: 'a' }), () => streamed({}), /"a"/],
  [
    'the mode of fchmod',
    () => opened((fd) => fs.fchmodSync(fd, 0o600)),
    () => opened((fd) => fs.fchmodSync(fd, 0o644)),
    /fchmod/,
  ],
  [
    'what the filter of cpSync leaves out',
    () => fs.cpSync(at('in'), at('to'), { recursive: true, filter: (source) => !source.endsWith('a.txt') }),
    () => fs.cpSync(at('in'), at('to'), { recursive: true, filter: (source) => !source.endsWith('b.txt') }),
    /"without":\["a\.txt"\]/,
  ],
  [
    'what the filter of a promised cp leaves out',
    () => fsp.cp(at('in'), at('to'), { recursive: true, filter: async (source) => !source.endsWith('deep') }),
    () => fsp.cp(at('in'), at('to'), { recursive: true, filter: async () => true }),
    /"without":\["deep"\]/,
  ],
  [
    'force of cp',
    () => fs.cpSync(at('in'), at('to'), { recursive: true, force: false }),
    () => fs.cpSync(at('in'), at('to'), { recursive: true }),
    /"force":false/,
  ],
]

test.for(rows)('%s', async ([, body, other, named]) => {
  const tape = join(tempFolder(), 'run.tape')
  await record(tape, body)
  expect((await replay(tape, body)).report.verdict).toBe('faithful')
  await expect(replay(tape, other)).rejects.toThrow(named)
})

test('a filter is asked as Node asks it, may look at files, and the copy lacks what it did not want', async () => {
  const asked = async (
    copy: (filter: (source: string, target: string) => boolean) => unknown,
  ): Promise<string[]> => {
    const questions: string[] = []
    await copy((source, target) => {
      questions.push(`${source} > ${target} ${fs.statSync(source).isDirectory()}`)
      return !source.endsWith('deep')
    })
    return questions.sort()
  }
  const body = (): Promise<string[]> =>
    asked((filter) => fs.cpSync(at('in'), at('to'), { recursive: true, filter }))
  const plain = await asked((filter) => fs.cpSync(at('in'), at('plain'), { recursive: true, filter }))
  const tape = join(tempFolder(), 'run.tape')
  const recorded = await record(tape, body)
  expect(recorded).toEqual(plain.map((line) => line.replaceAll(at('plain'), at('to'))))
  expect(fs.readdirSync(at('to'))).toEqual(['a.txt'])
  fs.rmSync(at('in'), { recursive: true })
  const { value, report } = await replay(tape, body)
  expect(value).toEqual(recorded)
  expect(report.verdict).toBe('faithful')
})

test('a tape from before they counted is replayed without them', async () => {
  const tape = join(tempFolder(), 'run.tape')
  const body = (): void => fs.writeFileSync(at('out'), 'x')
  await record(tape, body)
  withoutFeatures(tape)
  const { report } = await replay(tape, () => fs.writeFileSync(at('out'), 'x', { mode: 0o600 }))
  expect(report.divergences).toEqual([])
})
