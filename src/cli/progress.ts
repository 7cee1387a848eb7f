/**
 * Progress of work that takes more than a second: one line on a terminal's stderr, rewritten in place and
 * erased at the end. Writes nothing to a file or a pipe.
 */
import { printable } from '../base/index.ts'

export type ProgressTerminal = {
  readonly write: (text: string) => void
  readonly nowMs: () => number
}

export type Progress = {
  /** `done` of `total` bytes of `what` are read. */
  report(what: string, done: number, total: number): void
  /** Erases the line. Called before anything else is printed. */
  clear(): void
}

const SHOW_AFTER_MS = 1000
const REDRAW_EVERY_MS = 100

export function createProgress({ write, nowMs }: ProgressTerminal): Progress {
  let current = ''
  let startMs = nowMs()
  let drawnMs = Number.NEGATIVE_INFINITY
  let isDrawn = false
  return {
    report(what, done, total) {
      const at = nowMs()
      if (what !== current) [current, startMs] = [what, at]
      if (at - startMs < SHOW_AFTER_MS || at - drawnMs < REDRAW_EVERY_MS) return
      drawnMs = at
      isDrawn = true
      const share = total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total))
      write(`\r\u001b[2Kreprise: reading ${printable(what, 60)} ${share} %`)
    },
    clear() {
      if (isDrawn) write('\r\u001b[2K')
      isDrawn = false
    },
  }
}
