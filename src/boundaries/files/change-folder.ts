/**
 * `process.chdir`: a call about a folder like any other. A replay changes to no folder; it only remembers
 * which one is current.
 */
import { isOwnFileCall } from '../../real/fs.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import { callAtOnce } from './calls.ts'
import { describeCall, isCapturedFile, namedFile } from './described.ts'
import { filesOf } from './files-of-session.ts'

export function changeFolder(callee: AnyFunction, args: readonly unknown[], real: () => unknown): unknown {
  const session = isOwnFileCall() ? null : activeSession('filesystem')
  const files = session === null ? null : filesOf(session)
  const folder = files === null ? null : namedFile(files, args[0])
  if (session === null || files === null || folder === null || !isCapturedFile(files, folder, false, callee))
    return real()
  const value = (): void => files.enter(folder.absolute)
  return callAtOnce(session, describeCall(files, 'chdir', [folder], args, { value }), real, callee)
}
