/** Records a program of the test's own through the built command line, and replays it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReplayReport } from '../../src/testbench/index.ts'
import { reprise } from './cli.ts'
import type { ChildRun } from './run-child.ts'
import { tempFolder } from './temp-folder.ts'

export type RecordedProgram = {
  readonly folder: string
  readonly tape: string
  readonly script: string
  readonly recorded: ChildRun
  /** Replaces the program before the next replay. */
  change(source: string): void
  replay(options?: { readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv }): Promise<ChildRun & { readonly report: ReplayReport }>
}

export async function recordProgram(
  source: string,
  env: Readonly<Record<string, string>> = {},
  name = 'agent.mjs',
  options: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Promise<RecordedProgram> {
  const folder = join(tempFolder(), 'program')
  mkdirSync(folder)
  const script = join(folder, name)
  const tape = join(folder, 'run.tape')
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  writeFileSync(script, source)
  const recorded = await reprise(['record', '--out', tape, ...options, '--', process.execPath, name], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  let replays = 0
  return {
    folder,
    tape,
    script,
    recorded,
    change: (changed) => writeFileSync(script, changed),
    async replay(options = {}) {
      replays += 1
      const report = join(folder, `report-${replays}.json`)
      const run = await reprise(['replay', tape, '--report', report, ...(options.args ?? [])], { cwd: folder, env: options.env ?? process.env })
      return { ...run, report: JSON.parse(readFileSync(report, 'utf8')) }
    },
  }
}
