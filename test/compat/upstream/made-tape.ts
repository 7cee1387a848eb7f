/** Tapes made line by line, and recorders with a clock of the test's own. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentHash, utf8 } from '../../../src/base/index.ts'
import type { Scrubbed } from '../../../src/scrub/index.ts'
import { fromReprise } from '../../../src/scrub/scrubbed.ts'
import { createHeader, createTapeRecorder, EventTape, type RecordKind } from '../../../src/tape/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'

export const HEADER =
  '{"type":"header","version":1,"harn_version":"0.8.26","started_at_unix_ms":null,"script_path":null,"argv":[]}'
export const line = (kind: string, seq = 0, phase = '"phase":"user_script",'): string =>
  `{"type":"record","seq":${seq},${phase}"virtual_time_ms":5,"monotonic_ms":5,"kind":${kind}}`
export const SLEEP = line('{"kind":"clock_sleep","duration_ms":5}')

/** Writes text as a tape, and gives its path. */
export function tapeFile(text: string): string {
  const path = join(tempFolder(), 'run.tape')
  writeFileSync(path, text)
  return path
}

export const load = (...lines: readonly string[]): EventTape =>
  EventTape.loadSync(tapeFile(`${[HEADER, ...lines].join('\n')}\n`))

export const words = <T>(value: T): Scrubbed<T> => fromReprise(value)
export const sleep = (durationMs: number): Scrubbed<RecordKind> =>
  words<RecordKind>({ kind: 'clock_sleep', durationMs })
export const bytes = (text: string | Uint8Array) =>
  words<Uint8Array>(typeof text === 'string' ? new Uint8Array(Buffer.from(text)) : text)

export function steppedRecorder() {
  const time = { now: 1000, monotonic: 50 }
  return { time, recorder: createTapeRecorder({ now: () => time.now, monotonicMs: () => time.monotonic }) }
}

export const header = () => words(createHeader({ argv: [] }))

/** What loading this text says, with the path as X. */
export const fails = (text: string): string => {
  const path = tapeFile(text)
  try {
    EventTape.loadSync(path)
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(path, 'X') : String(error)
  }
  return 'it loads'
}

export async function spilled() {
  const { recorder } = steppedRecorder()
  const payload = recorder.payloadFromBytes(bytes('x'.repeat(5000)))
  recorder.record(
    words<RecordKind>({ kind: 'llm_call', requestDigest: contentHash(utf8('')), response: payload }),
  )
  const path = join(tempFolder(), 'run.tape')
  await recorder.snapshot(header()).persist(path)
  return { path, payload }
}

export const recordsOf = (recorder: ReturnType<typeof createTapeRecorder>) =>
  recorder.snapshot(header()).records
