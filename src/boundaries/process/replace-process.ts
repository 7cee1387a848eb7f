/**
 * `process.execve` (Node 22.15 and newer): the process becomes another program. A program that becomes itself
 * hands its tape over, as a launcher does. Any other ends here, as far as the tape goes; a replay ends at the
 * same place and starts nothing.
 */
import { label } from '../../base/index.ts'
import { exitNow, realProcess } from '../../real/program.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { handOverTo } from './launched-child.ts'

const PROCESS = label('process')
const INHERITED = ['inherit', 'inherit', 'inherit']

/** Seals the tape: Node gives the program no `exit` event. */
const sealers = sessionField<() => void>(() => () => undefined)

/** Before the session is used. */
export function useSealBeforeReplacing(session: Session, seal: () => void): void {
  sealers.set(session, seal)
}

export function replacePatches(): Patch[] {
  if (typeof Reflect.get(realProcess, 'execve') !== 'function') return []
  return [
    patchFunction(realProcess, 'execve', (original) => {
      return function (this: unknown, file: unknown, args: unknown, env: unknown): unknown {
        const session = activeSession('process')
        const known = typeof env === 'object' && env !== null ? textsOf(env) : { ...realProcess.env }
        if (session === null) return Reflect.apply(original, this, [file, args, env ?? known])
        const words = Array.isArray(args) ? args.map(String) : []
        const child = { file: String(file), args: words, cwd: null, env: textsOf(known) }
        const claimed = session.isLive(PROCESS) ? handOverTo(session, child, INHERITED) : null
        if (claimed !== null) return Reflect.apply(original, this, [file, args, claimed])
        session.gap(
          PROCESS,
          `process.execve replaces the program by ${child.file}: what that does is not recorded`,
        )
        // A replay ends here with the code of success: what the other program returned is not on the tape.
        if (!session.isLive(PROCESS)) return exitNow(0)
        sealers.get(session)()
        return Reflect.apply(original, this, [file, args, known])
      }
    }),
  ]
}

function textsOf(env: object): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]))
}
