/**
 * A refusal that the program does not catch ends it, as any exception does. What Node prints for one is a stack inside Reprise, which says nothing about
 * the program: so the refusal is said in one line, with its code and hint, and the process ends as Node would have ended it.
 */
import { printable } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import { exitNow, writeStderr } from '../../real/program.ts'

/** What Node ends with when nobody catches. */
const UNCAUGHT = 1

export function sayRefusal(error: unknown): void {
  if (!isRepriseError(error) || error.code !== 'replay-diverged') return
  const [first = ''] = error.message.split('\n')
  writeStderr(`reprise: the program did not catch a refusal: ${printable(first)} [${error.code}]; hint: ${error.hint}\n`)
  exitNow(UNCAUGHT)
}
