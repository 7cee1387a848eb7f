/**
 * A test with a tape: recorded the first time, replayed from then on. Shared by the runners.
 *
 * `REPRISE_MODE`: `auto` (default) replays if the tape exists and records otherwise, but with `CI` set a
 * missing tape is a failure; `record` always records; `replay` never does; `update` records again, but a
 * request whose key is on the tape is answered from it; `off` runs the test without Reprise. A tape is put in
 * place only if the test passed: until then, and if it fails, the old one stays. A runner that was started
 * with `-u` turns `auto` into `update` for existing tapes.
 */
import { dirname, join } from 'node:path'
import { isRepriseError, RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { realEnv, realPid } from '../real/process.ts'
import { keepEqualLines } from '../tape/keep-equal-lines.ts'
import { replaceTape } from '../tape/replace-tape.ts'
import type { RunSummary } from '../tape/run-summary.ts'
import { removeTape } from '../tape/writer.ts'
import { type RecordOptionsInProcess, record, replay } from './library/in-process.ts'
import { type ClockRival, oneMasterOfTheClock } from './library/one-clock.ts'

export type RecordedOptions = Omit<RecordOptionsInProcess, 'force' | 'answersFrom'> & {
  /** The path of the tape; by default `__tapes__/<file>/<name>.tape` next to the test. */
  readonly tape?: string
}

/** What a runner knows of its test. */
export type RunnerFacts = ClockRival & {
  /** Whether the test has failed without throwing. */
  readonly hasFailed: () => boolean
  /** The command that runs this test again in a mode: `REPRISE_MODE=update npx vitest run -t "…"`. */
  readonly command?: (mode: 'record' | 'update') => string
  /** Whether the runner was started to update stored results (`-u`). */
  readonly isUpdating?: () => boolean
  /** Called when the test has passed, with what was done. */
  readonly onDone?: (done: RecordedOutcome) => void | Promise<void>
}

export type RecordedOutcome = {
  readonly done: 'recorded' | 'replayed' | 'updated'
  readonly tape: string
  /** Why a replay proves less than it should: gaps, a tape without an end. Empty if it is faithful. */
  readonly unverified: readonly string[]
}

export async function runRecorded<T>(
  tape: string,
  body: () => T | Promise<T>,
  options: RecordedOptions,
  runner: RunnerFacts,
): Promise<T> {
  const mode = chosenMode(tape, runner)
  if (mode === 'off') return body()
  using _one = oneMasterOfTheClock(runner)
  const { value, unverified = [] } = await runIn(mode, tape, body, options, runner)
  if (!runner.hasFailed()) await runner.onDone?.({ done: OUTCOMES[mode], tape, unverified })
  return value
}

const OUTCOMES = { record: 'recorded', replay: 'replayed', update: 'updated' } as const

async function runIn<T>(
  mode: 'record' | 'replay' | 'update',
  tape: string,
  body: () => T | Promise<T>,
  options: RecordedOptions,
  runner: RunnerFacts,
): Promise<{ readonly value: T; readonly unverified?: readonly string[] }> {
  switch (mode) {
    case 'replay':
      try {
        const { value, report } = await replay(tape, body, options)
        return { value, unverified: report.verdict === 'unverified' ? report.reasons : [] }
      } catch (error) {
        throw isRepriseError(error) ? withNextStep(error, tape, runner) : error
      }
    case 'record':
      return { value: await recordInPlace(tape, body, options, runner) }
    case 'update':
      return { value: await recordInPlace(tape, body, { ...options, answersFrom: tape }, runner) }
  }
}

/**
 * Adds the tape and the next command to the error. The frames stay: a runner shows the line of the test's
 * code. The stack is read before the message changes: Jest formats a stack when it is first read.
 */
function withNextStep(error: RepriseError, tape: string, runner: RunnerFacts): RepriseError {
  const { message: before, stack = '' } = error
  const lines = [before, `  tape         ${tape}`]
  if (runner.command !== undefined) lines.push(`  update it    ${runner.command('update')}`)
  error.message = lines.join('\n')
  error.stack = stack.replace(before, () => error.message)
  return error
}

/** `__tapes__/<file>/<name>.tape`, with only characters that every file system accepts in a name. */
export function tapeOfTest(file: string, name: string): string {
  const parts = file.split(/[/\\]/)
  const base = parts.pop() ?? 'test'
  return join(parts.join('/') || '.', '__tapes__', base, `${fileName(name)}.tape`)
}

function fileName(name: string): string {
  const plain = name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|-+$/g, '')
    .slice(0, 120)
  return plain === '' ? 'test' : plain
}

function chosenMode(tape: string, runner: RunnerFacts): 'record' | 'replay' | 'update' | 'off' {
  const mode = realEnv.REPRISE_MODE ?? 'auto'
  const there = fs.existsSync(tape)
  switch (mode) {
    case 'off':
    case 'record':
      return mode
    case 'update':
      return there ? 'update' : 'record'
    case 'replay':
      if (there) return 'replay'
      throw missing(tape, 'REPRISE_MODE is replay', runner)
    case 'auto':
      if (there) return runner.isUpdating?.() === true ? 'update' : 'replay'
      if (realEnv.CI !== undefined && realEnv.CI !== '' && realEnv.CI !== 'false')
        throw missing(tape, 'CI is set', runner)
      return 'record'
    default:
      throw new RepriseError(
        'usage',
        `REPRISE_MODE is ${JSON.stringify(mode)}; tests take auto, record, replay, update or off`,
        {
          hint: 'unset it for auto',
        },
      )
  }
}

/** The command is a part of the message: runners print no hints. */
function missing(tape: string, why: string, { command }: RunnerFacts): RepriseError {
  const run = command === undefined ? '' : `\n  record it    ${command('record')}`
  return new RepriseError('recorded-tape-missing', `there is no tape ${tape} to replay, and ${why}${run}`, {
    details: { tape },
    hint: 'run the test once with REPRISE_MODE=record and commit the tape',
  })
}

async function recordInPlace<T>(
  tape: string,
  body: () => T | Promise<T>,
  options: RecordOptionsInProcess,
  runner: RunnerFacts,
): Promise<T> {
  const fresh = `${tape}.${realPid}.new`
  try {
    const { onSummary } = options
    const named =
      onSummary === undefined ? {} : { onSummary: (summary: RunSummary) => onSummary({ ...summary, tape }) }
    const value = await record(fresh, body, { ...options, ...named, force: true })
    if (!runner.hasFailed()) {
      if (options.answersFrom !== undefined) keepEqualLines(options.answersFrom, fresh)
      replaceTape(fresh, tape)
    }
    return value
  } finally {
    removeTape(fresh)
    removeEmptyFolders(tape)
  }
}

/** A failed first recording leaves no folders behind. */
function removeEmptyFolders(tape: string): void {
  for (
    let folder = dirname(tape);
    /[/\\]__tapes__(?:[/\\][^/\\]+)?$/.test(folder);
    folder = dirname(folder)
  ) {
    try {
      fs.rmdirSync(folder)
    } catch {
      // Other tapes are in it, or another test has removed it.
      return
    }
  }
}
