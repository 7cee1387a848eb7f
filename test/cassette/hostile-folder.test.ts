/** What may lie in the place of a cassette's files: nothing of it is followed, waited for or drawn. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { castFrom, open, verifyCassette } from '../../src/cassette/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Documents, documents, writeCassette } from './written-cassette.ts'

function written(bend: (parts: Documents) => void = () => undefined): string {
  const folder = join(tempFolder(), 'c')
  const parts = documents()
  bend(parts)
  writeCassette(folder, parts)
  return folder
}

describe('in the place of a file', () => {
  const things: readonly (readonly [string, (path: string) => void])[] = [
    ['a link to a file', (path) => symlinkSync('/etc/passwd', path)],
    ['a link to an endless device', (path) => symlinkSync('/dev/zero', path)],
    ['a pipe that nobody writes to', (path) => void execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdirSync(path)],
  ]
  test.each(
    things.flatMap(([what, put]) =>
      ['manifest.json', 'output.raw', 'frames.jsonl', 'input.jsonl', 'final.json', 'quota.json'].map(
        (name) => [what, name, put] as const,
      ),
    ),
  )('%s as %s', async (_what, name, put) => {
    const folder = written()
    rmSync(join(folder, name), { force: true })
    put(join(folder, name))
    const says = { code: 'cassette-file-invalid', message: `cassette: ${name} is no plain file` }
    await expect(open(folder)).rejects.toMatchObject(says)
    expect((await verifyCassette(folder)).findings).toContainEqual({ ...says, severity: 'finding' })
  })
})

describe('a size that no terminal has', () => {
  test.each<[string, (parts: Documents) => void]>([
    [
      'at the beginning',
      ({ manifest }) =>
        Object.assign(manifest, {
          terminal: { ...(manifest.terminal as object), initial_rows: 1e9, initial_cols: 1e9 },
        }),
    ],
    [
      'after a resize',
      ({ input }) => Object.assign(input[1] as object, { size: { Rows: 99_999, Cols: 99_999 } }),
    ],
    ['of a frame', ({ frames }) => Object.assign(frames[0] as object, { size: { Rows: -1, Cols: 5 } })],
  ])('%s is a finding', async (_where, bend) => {
    expect(await verifyCassette(written(bend))).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([expect.objectContaining({ code: 'cassette-terminal-size' })]),
    })
  })

  test('is not exported', async () => {
    const reader = await open(
      written(({ manifest }) =>
        Object.assign(manifest, { terminal: { ...(manifest.terminal as object), initial_rows: 1e9 } }),
      ),
    )
    expect(() => castFrom(reader)).toThrow(expect.objectContaining({ code: 'cassette-terminal-size' }))
  })
})

test.each([
  ['replay', ['--mode', 'nonsense'], 64],
  ['replay', ['--mode', 'scaled', '--scale', '0'], 64],
  ['show', ['--at', '1e400'], 64],
  ['show', ['--at', 'seq:999'], 1],
])('cassette %s with %j ends with %i', async (command, options, code) => {
  const run = await reprise(['cassette', command, written(), ...options])
  expect([run.code, run.stderr.split('\n').length]).toEqual([code, 2])
})

test('a device without an end is not imported', async () => {
  const run = await reprise(['cassette', 'import', '/dev/zero', '--out', join(tempFolder(), 'c')])
  expect([run.code, run.stderr]).toEqual([
    1,
    'reprise: cannot read /dev/zero: it is a device [not-a-file]; hint: name a file\n',
  ])
})
