/**
 * A test with a tape: recorded the first time, replayed ever after. What the runners share.
 *
 * `REPRISE_MODE`: `auto` (default) replays if the tape is there and records otherwise, but with `CI` set a missing tape is a failure; `record` always
 * records; `replay` never does; `off` runs the test as it is. A tape is put in place only if the test passed.
 */
import { join } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { realEnv, realPid } from '../real/process.ts'
import { casFolder } from '../tape/index.ts'
import { type RecordOptionsInProcess, record, replay } from './in-process.ts'

export type RecordedOptions = Omit<RecordOptionsInProcess, 'force'> & {
  /** Where the tape is; by default `__tapes__/<file>/<name>.tape` beside the test. */
  readonly tape?: string
}

export async function runRecorded<T>(tape: string, body: () => T | Promise<T>, options: RecordedOptions): Promise<T> {
  switch (chosenMode(tape)) {
    case 'off':
      return body()
    case 'replay':
      return (await replay(tape, body, options)).value
    case 'record':
      return recordInPlace(tape, body, options)
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

function chosenMode(tape: string): 'record' | 'replay' | 'off' {
  const mode = realEnv.REPRISE_MODE ?? 'auto'
  const there = fs.existsSync(tape)
  switch (mode) {
    case 'off':
    case 'record':
      return mode
    case 'replay':
      if (there) return 'replay'
      throw missing(tape, 'REPRISE_MODE is replay')
    case 'auto':
      if (there) return 'replay'
      if (realEnv.CI !== undefined && realEnv.CI !== '' && realEnv.CI !== 'false') throw missing(tape, 'CI is set')
      return 'record'
    default:
      throw new RepriseError('usage', `REPRISE_MODE is ${JSON.stringify(mode)}; tests take auto, record, replay or off`, {
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

async function recordInPlace<T>(tape: string, body: () => T | Promise<T>, options: RecordedOptions): Promise<T> {
  const fresh = `${tape}.${realPid}.new`
  try {
    const value = await record(fresh, body, { ...options, force: true })
    fs.rmSync(casFolder(tape), { recursive: true, force: true })
    if (fs.existsSync(casFolder(fresh))) fs.renameSync(casFolder(fresh), casFolder(tape))
    fs.renameSync(fresh, tape)
    return value
  } finally {
    fs.rmSync(fresh, { force: true })
    fs.rmSync(casFolder(fresh), { recursive: true, force: true })
  }
}
