/**
 * `process.execve` (Node 22.15 and newer): the process becomes another program. A program that becomes itself
 * passes its tape on, as a launcher does. For any other, the tape ends here; a replay ends at the same call
 * and starts nothing. A call that was not recorded is refused.
 */
import { label } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import { exitNow, realProcess } from '../../real/program.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { handOverTo } from './launched-child.ts'

const PROCESS = label('process')
const INHERITED = ['inherit', 'inherit', 'inherit']

/** Seals the tape: Node emits no `exit` event here. */
const sealers = sessionField<() => void>(() => () => undefined)

/** Set it before the session is used. */
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
        const call = `process.execve replaces the program by ${child.file}`
        session.gap(PROCESS, `${call}: what that does is not recorded`)
        if (!session.isLive(PROCESS)) {
          refuseUnlessRecorded(session, call)
          // A replay ends here with exit code 0: the exit code of the other program is not on the tape.
          return exitNow(0)
        }
        sealers.get(session)()
        return Reflect.apply(original, this, [file, args, known])
      }
    }),
  ]
}

/**
 * Starting an effect that no tape has throws the divergence. A divergence for a recorded gap means that the
 * recorded run ended here too.
 */
function refuseUnlessRecorded(session: Session, call: string): void {
  try {
    session.start(PROCESS, call, () => undefined)
  } catch (error) {
    if (!isRepriseError(error) || error.details.category !== 'gap') throw error
  }
}

function textsOf(env: object): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]))
}
