/**
 * The debugged process's side of `reprise debug`: pauses when a record of the tape is reached, or when the
 * run diverges. The debugger reads and sets `hooks` through the inspector.
 */
import { createPause } from '../../real/debugger-pause.ts'
import { createEvaluatedCode } from '../../real/evaluated-code.ts'
import type { SessionWatch } from '../session/watch.ts'

/** What `reprise debug` passes to the process. */
export type DebugSettings = {
  /** Pause after this record; null to pause only at a divergence, or never. */
  readonly stopAt: number | null
  readonly atDivergence: boolean
}

/** The debugger reads, sets and calls these by name. */
type DebugHooks = {
  stopAt: number
  atDivergence: boolean
  /** The last record that was reached. */
  last: number
  /** The start or the end of code that the debugger's user evaluates. */
  setEvaluating(isEvaluating: boolean): void
  /** An evaluation assigned to a variable of the program. */
  isChanged: boolean
}

export type DebugWatch = SessionWatch & { readonly hooks: DebugHooks }

export function createDebugWatch({ stopAt, atDivergence }: DebugSettings): DebugWatch {
  const code = createEvaluatedCode()
  const hooks: DebugHooks = {
    stopAt: stopAt ?? Number.POSITIVE_INFINITY,
    atDivergence,
    last: 0,
    setEvaluating: (isEvaluating) => (isEvaluating ? code.enter() : code.leave()),
    isChanged: false,
  }
  const pause = createPause(hooks)
  // Call it before the program starts: the debugger receives `hooks`.
  pause()
  return {
    hooks,
    isEvaluating: () => code.isRunning(),
    reached({ seq }) {
      hooks.last = seq
      if (seq < hooks.stopAt) return
      hooks.stopAt = Number.POSITIVE_INFINITY
      pause()
    },
    diverged() {
      if (!hooks.atDivergence) return
      hooks.atDivergence = false
      pause()
    },
  }
}
