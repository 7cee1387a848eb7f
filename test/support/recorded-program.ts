/**
 * Records a program of the test's own through the built command line, and replays it. Each faithful replay
 * must write the lines of the recorded tape again, byte for byte, between header and seal.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
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
  replay(options?: ReplayedProgram): Promise<ChildRun & { readonly report: ReplayReport }>
}

export type ReplayedProgram = {
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Why a faithful replay writes other lines than the recording. It must. */
  readonly otherLines?: string
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
  return replayable({ folder, tape, script, recorded })
}

/** A tape of a program in this folder. */
export function replayable({
  folder,
  tape,
  script,
  recorded,
}: Omit<RecordedProgram, 'change' | 'replay'>): RecordedProgram {
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
      const emitted = join(folder, `emitted-${replays}.tape`)
      const { args = [], env: replayEnv = process.env, otherLines } = options
      const emit = args.includes('--emit-tape') ? [] : ['--emit-tape', emitted]
      const run = await reprise(['replay', tape, '--report', report, ...emit, ...args], {
        cwd: folder,
        env: replayEnv,
      })
      const replayed: ReplayReport = JSON.parse(readFileSync(report, 'utf8'))
      if (emit.length > 0 && replayed.verdict === 'faithful')
        expectSameLines(tape, emitted, replayed, otherLines)
      return { ...run, report: replayed }
    },
  }
}

/** A program that reads the clock more or less often is faithful, and its tape has other lines. */
function expectSameLines(
  recorded: string,
  emitted: string,
  report: ReplayReport,
  otherLines: string | undefined,
): void {
  const { extra, missing } = report.clock_reads
  if (extra > 0 || missing > 0) return
  if (otherLines === undefined) expect(linesOf(emitted)).toEqual(linesOf(recorded))
  else expect(linesOf(emitted), otherLines).not.toEqual(linesOf(recorded))
}

/** The lines between header and seal. */
function linesOf(tape: string): string[] {
  return readFileSync(tape, 'utf8').trimEnd().split('\n').slice(1, -1)
}
