/**
 * A test with a tape: recorded the first time, replayed ever after. What the runners share.
 *
 * `REPRISE_MODE`: `auto` (default) replays if the tape is there and records otherwise, but with `CI` set a missing tape is a failure; `record` always
 * records; `replay` never does; `update` records again, but a request whose key is on the tape is answered from it; `off` runs the test as it is. A tape
 * is put in place only if the test passed: until then, and if it fails, the old one stays.
 */
import { join } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { realEnv, realPid } from '../real/process.ts'
import { replaceTape } from '../tape/replace-tape.ts'
import { removeTape } from '../tape/writer.ts'
import { type RecordOptionsInProcess, record, replay } from './library/in-process.ts'
import { type ClockRival, oneMasterOfTheClock } from './library/one-clock.ts'

export type RecordedOptions = Omit<RecordOptionsInProcess, 'force' | 'answersFrom'> & {
  /** Where the tape is; by default `__tapes__/<file>/<name>.tape` beside the test. */
  readonly tape?: string
}

/** What a runner knows of its test. */
export type RunnerFacts = ClockRival & {
  /** Whether the test has failed without throwing. */
  readonly hasFailed: () => boolean
}

export async function runRecorded<T>(tape: string, body: () => T | Promise<T>, options: RecordedOptions, runner: RunnerFacts): Promise<T> {
  const mode = chosenMode(tape)
  if (mode === 'off') return body()
  using _one = oneMasterOfTheClock(runner)
  switch (mode) {
    case 'replay':
      return (await replay(tape, body, options)).value
    case 'record':
      return await recordInPlace(tape, body, options, runner)
    case 'update':
      return await recordInPlace(tape, body, { ...options, answersFrom: tape }, runner)
  }
}

/** `__tapes__/<file>/<name>.tape`, with only what every file system takes in a name. */
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

function chosenMode(tape: string): 'record' | 'replay' | 'update' | 'off' {
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
      throw missing(tape, 'REPRISE_MODE is replay')
    case 'auto':
      if (there) return 'replay'
      if (realEnv.CI !== undefined && realEnv.CI !== '' && realEnv.CI !== 'false') throw missing(tape, 'CI is set')
      return 'record'
    default:
      throw new RepriseError('usage', `REPRISE_MODE is ${JSON.stringify(mode)}; tests take auto, record, replay, update or off`, {
        hint: 'unset it for auto',
      })
  }
}

function missing(tape: string, why: string): RepriseError {
  return new RepriseError('recorded-tape-missing', `there is no tape ${tape} to replay, and ${why}`, {
    details: { tape },
    hint: 'run the test once with REPRISE_MODE=record and commit the tape',
  })
}

async function recordInPlace<T>(tape: string, body: () => T | Promise<T>, options: RecordOptionsInProcess, runner: RunnerFacts): Promise<T> {
  const fresh = `${tape}.${realPid}.new`
  try {
    const value = await record(fresh, body, { ...options, force: true })
    if (!runner.hasFailed()) replaceTape(fresh, tape)
    return value
  } finally {
    removeTape(fresh)
  }
}
