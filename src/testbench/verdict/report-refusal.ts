/**
 * A refusal that the program does not catch ends it, as any exception does. Node would print a stack inside
 * Reprise, which does not help the user: so the refusal is printed in one line, with its code and hint, and
 * the process ends as Node would have ended it.
 *
 * A client that is refused tries again, waits, draws a random number, and is refused again for that. So the
 * printed refusal is the first divergence of the replay.
 */
import { printable } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import { exitNow, writeStderr } from '../../real/program.ts'

/** The exit code of Node after an uncaught exception. */
const UNCAUGHT = 1

export function reportRefusal(error: unknown, cause: string | null): void {
  if (!isRepriseError(error) && !isRemade(error)) return
  const { message, code, hint } = error
  const isRefusal = code === 'replay-diverged'
  const [first = ''] = ((isRefusal ? cause : null) ?? message).split('\n')
  const words = isRefusal ? 'the program did not catch a refusal: ' : ''
  writeStderr(
    `reprise: ${words}${printable(first)} [${code}]${typeof hint === 'string' ? `; hint: ${printable(hint)}` : ''}\n`,
  )
  exitNow(UNCAUGHT)
}

/** A refusal that was delivered as an outcome was rebuilt from its facts. */
function isRemade(error: unknown): error is Error & { readonly code: string; readonly hint?: unknown } {
  return (
    error instanceof Error &&
    error.constructor.name === 'RepriseError' &&
    'code' in error &&
    error.code === 'replay-diverged'
  )
}
