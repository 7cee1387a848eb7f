/**
 * `process.kill`. A subprocess of the session is identified by its pid, or by that of its group, and gets the
 * signal as from `child.kill`. In a replay the program's recorded pid means this process. A signal to any
 * other process is sent while recording, and a replay returns the recorded answer. A signal that was never
 * recorded would reach an unrelated process, and is refused.
 */
import { label } from '../../base/index.ts'
import { NO_SUCH_PROCESS, signalNumber } from '../../real/child-handles.ts'
import { realPid } from '../../real/process.ts'
import { realProcess } from '../../real/program.ts'
import { activeSession, outside } from '../context.ts'
import { errorFacts, errorFactsOf, errorFromFacts } from '../errors.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { childOf } from './children.ts'
import { announceDeath, isFollowed } from './signals.ts'

const PROCESS = label('process')
const API = label('process.kill')

export function killPatches(): Patch[] {
  return [
    patchFunction(realProcess, 'kill', (original) => {
      return function (this: unknown, pid: unknown, signal?: unknown): unknown {
        const session = activeSession('process')
        const real = (to: unknown): unknown => outside(() => Reflect.apply(original, this, [to, signal]))
        const number = signalOf(signal)
        if (session === null || typeof pid !== 'number' || number === null) return real(pid)
        const child = childOf(session, Math.abs(pid))
        if (child !== null) return killChild(child.kill(number, pid < 0))
        // The getter returns the recorded pid during a replay. Signals that the program sends to itself and
        // listens to are on the tape: sending a second, real one would end the replay.
        if (pid === realProcess.pid && !session.isLive(PROCESS) && isFollowed(session, number)) return true
        // Node would open its inspector to everyone on this machine.
        if (!session.isLive(PROCESS) && number === signalNumber('SIGUSR1'))
          return session.start(PROCESS, 'process.kill SIGUSR1', () => undefined)
        if (pid === realProcess.pid || pid === 0) {
          if (pid !== 0) announceDeath(session, number)
          return real(session.isLive(PROCESS) ? pid : realPid)
        }
        return toStranger(session, pid, String(signal), () => real(pid))
      }
    }),
  ]
}

function killChild(result: number): true {
  if (result === 0) return true
  const [code, text] = result === NO_SUCH_PROCESS ? ['ESRCH', 'ESRCH'] : ['EPERM', 'EPERM']
  throw Object.assign(new Error(`kill ${text}`), { errno: result, code, syscall: 'kill' })
}

function toStranger(session: Session, pid: number, signal: string, kill: AnyFunction): unknown {
  const known = session.readFact(API, `${pid} ${signal}`, () => {
    try {
      kill()
      return '{}'
    } catch (error) {
      return JSON.stringify({ error: errorFacts(error) })
    }
  })
  if (known === null) session.start(PROCESS, `kill ${pid} ${signal}`, () => undefined)
  const { error } = JSON.parse(known ?? '{}')
  if (error !== undefined) throw errorFromFacts(errorFactsOf(error))
  return true
}

/** Null for a signal that Node rejects. */
function signalOf(signal: unknown): number | null {
  if (typeof signal === 'number') return signal
  if (signal === undefined || signal === null || signal === '') return signalNumber('SIGTERM')
  return typeof signal === 'string' ? signalNumber(signal) || null : null
}
