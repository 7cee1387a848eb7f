/**
 * A descriptor of the program that a subprocess gets. What the child writes to that file crosses no boundary
 * of ours, so it is reported to the files boundary.
 */
import { activeSession } from '../context.ts'
import { filesOf } from '../files/files-of-session.ts'
import { givenDescriptors, type StdioEntry } from './stdio-plan.ts'

export function shareFiles(stdio: readonly StdioEntry[]): void {
  const given = givenDescriptors(stdio)
  const session = given.length === 0 ? null : activeSession('filesystem')
  if (session !== null) for (const fd of given) filesOf(session).open.get(fd)?.share()
}
