/**
 * The phase of a whole run: `user_script` until the program has ended, then `runtime_finalize`. Records of
 * `exit` handlers and of the recorder's own last work have the second one. A phase that the async context has
 * set goes before `user_script`.
 */
import { currentPhase } from './active-recorder.ts'
import type { Phase } from './record.ts'

export type RunPhase = {
  current(): Phase
  /** The program has ended. */
  finalize(): void
}

export function createRunPhase(): RunPhase {
  let isFinalizing = false
  return {
    current: () => (isFinalizing ? 'runtime_finalize' : currentPhase()),
    finalize() {
      isFinalizing = true
    },
  }
}
