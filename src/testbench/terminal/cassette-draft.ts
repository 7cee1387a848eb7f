/** The header of a tape's cassette, and when its screens are stored. */
import { basename } from 'node:path'
import type { TerminalFacts } from '../../boundaries/session.ts'
import type { ManifestDraft } from '../../cassette/recorder/manifest-draft.ts'
import { DEFAULT_RESOLUTION_MS } from '../../cassette/recorder/manifest-draft.ts'
import type { Recorder } from '../../cassette/recorder/recorder.ts'
import { monotonicMs } from '../../real/clock.ts'

export function cassetteDraft({ program, args, cwd, term, cols, rows }: TerminalFacts): ManifestDraft {
  return {
    harness: { name: basename(program) },
    command: { argv: [program, ...args], workdirPolicy: cwd === null ? 'caller' : 'explicit' },
    terminal: { initialRows: rows, initialCols: cols, term, ptyMode: { outer: 'node-pty' } },
  }
}

/**
 * At most one frame per step of time, and one at the end. Checked when output arrives: a timer of our own
 * would keep the process alive.
 */
export function createFrameSteps(recorder: Recorder | null): { output(): void; end(): void } {
  /** When the first output arrived that no frame shows yet. */
  let since: number | null = null
  return {
    output() {
      const at = monotonicMs()
      const isDue = since !== null && at - since >= DEFAULT_RESOLUTION_MS
      if (isDue) recorder?.markFrame()
      if (isDue || since === null) since = at
    },
    end: () => void recorder?.markFrame(),
  }
}
