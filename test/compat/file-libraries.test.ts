/**
 * Libraries that work with files, each recorded through the built command line, then replayed with the data
 * gone. What the program printed must be equal, and the verdict faithful.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The last line of each, so that one that stops early does not pass. */
const LIBRARIES = [
  ['fs-extra', 'broken ["SyntaxError"]'],
  ['fast-glob', 'objects [["given.json",true]]'],
] as const

test.for(LIBRARIES)('%s sees the same in a replay that opens no file', async ([name, last]) => {
  const folder = join(tempFolder(), 'program')
  mkdirSync(join(folder, 'data', 'sub'), { recursive: true })
  symlinkSync(here('../../node_modules'), join(folder, 'node_modules'))
  copyFileSync(here(`programs/${name}.mjs`), join(folder, 'agent.mjs'))
  for (const file of ['given.json', 'sub/one.txt', 'sub/skip.txt', 'sub/.hidden'])
    writeFileSync(join(folder, 'data', file), '{"a":1}')
  const tape = join(folder, 'run.tape')
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, 'agent.mjs'], {
    cwd: folder,
  })
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  expect(recorded.stdout).toContain(last)
  for (const gone of ['data', 'copy']) rmSync(join(folder, gone), { recursive: true, force: true })
  const report = join(folder, 'report.json')
  const replayed = await reprise(['replay', tape, '--report', report], {
    cwd: folder,
    env: { PATH: '/nonexistent' },
  })
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    verdict: 'faithful',
    divergences: [],
    unused: [],
    gaps: [],
  })
  expect(replayed).toEqual(recorded)
  expect(existsSync(join(folder, 'data'))).toBe(false)
})
