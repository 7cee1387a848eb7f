/**
 * Pauses this process in an attached debugger. The statement is in a script of its own, whose URL the
 * debugger recognises: V8 ignores `debugger` in a script that the debugger skips.
 */
import { runInThisContext } from 'node:vm'

/** The URL of the script that pauses. */
export const PAUSE_URL = 'reprise:pause'

/** Without an attached debugger this does nothing. */
export function createPause<H>(hooks: H): () => void {
  const pause: (hooks: H) => void = runInThisContext('(function (hooks) { debugger })', {
    filename: PAUSE_URL,
  })
  return () => pause(hooks)
}
