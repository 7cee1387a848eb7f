/**
 * Libraries that start subprocesses, each recorded through the built command line, then replayed in another
 * folder with nothing on the PATH. What the program printed must be equal, and the verdict faithful.
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** How many lines each program prints, so that one that stops early does not pass. */
const LIBRARIES = [
  ['execa', 17],
  ['cross-spawn', 8],
  ['simple-git', 7],
] as const

test.for(LIBRARIES)('%s sees the same in a replay that starts nothing', async ([name, lines], context) => {
  if (name === 'simple-git') needs(context, 'git')
  const folder = join(tempFolder(), 'program')
  mkdirSync(folder)
  symlinkSync(here('../../node_modules'), join(folder, 'node_modules'))
  copyFileSync(here(`programs/${name}.mjs`), join(folder, 'agent.mjs'))
  writeFileSync(
    join(folder, 'message.mjs'),
    `process.once('message', (message) => process.send({ got: message }, () => process.disconnect()))`,
  )
  writeFileSync(join(folder, 'tool'), '#!/bin/sh\necho "tool $1"\n')
  chmodSync(join(folder, 'tool'), 0o755)
  const tape = join(folder, 'run.tape')
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, 'agent.mjs'], {
    cwd: folder,
  })
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  expect(recorded.stdout.trim().split('\n').length).toBe(lines)
  rmSync(join(folder, 'repository'), { recursive: true, force: true })
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
})
