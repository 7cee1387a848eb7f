/**
 * Cassettes recorded through the library with a clock of the test's own, as upstream's tests record theirs.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createRecorder,
  type ManifestDraft,
  type Recorder,
  type RecorderOptions,
} from '../../../src/cassette/index.ts'
import { createScrubber } from '../../../src/scrub/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'

export const VT10X = { name: 'vt10x', version: 'test' }
export const BLANK = { char: 32, mode: 0, fg: 16_777_216, bg: 16_777_217, combining: '' }

/** Time goes on by `stepMs` at each look at the clock after the first. */
export function steppingClock(stepMs: number): { now(): number; elapsed(): number } {
  let elapsed = -stepMs
  return {
    now: () => 100_000,
    elapsed: () => {
      elapsed += stepMs
      return elapsed
    },
  }
}

export function recorderAt(out: string, draft: ManifestDraft = {}, options: RecorderOptions = {}): Recorder {
  return createRecorder(out, draft, { scrubber: createScrubber(), clock: steppingClock(35), ...options })
}

export type Written = { readonly out: string; readonly recorder: Recorder; text(name: string): string }

/** Records what `act` does, and how the program ended. */
export function recorded(
  act: (recorder: Recorder) => void = () => undefined,
  draft: ManifestDraft = {},
  options: RecorderOptions = {},
): Promise<Written> {
  return recordedToEnd(
    (recorder) => {
      act(recorder)
      recorder.recordFinal({ exit: { code: 0, signal: '', exited: true, signaled: false } })
    },
    draft,
    options,
  )
}

/** The same, where `act` writes the final record. */
export async function recordedToEnd(
  act: (recorder: Recorder) => void,
  draft: ManifestDraft = {},
  options: RecorderOptions = {},
): Promise<Written> {
  const out = join(tempFolder(), 'cassette')
  const recorder = recorderAt(out, draft, options)
  act(recorder)
  await recorder.close()
  return { out, recorder, text: (name) => readFileSync(join(out, name), 'utf8') }
}
