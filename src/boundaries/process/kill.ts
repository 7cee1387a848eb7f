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
      return function (this: unknown, target: unknown, signal?: unknown): unknown {
        const session = activeSession('process')
        const real = (to: unknown): unknown => outside(() => Reflect.apply(original, this, [to, signal]))
        const pid = pidOf(target)
        const number = signalOf(signal)
        if (session === null || pid === null || number === null) return real(target)
        const child = childOf(session, Math.abs(pid))
        if (child !== null) return killChild(child.kill(number, pid < 0))
        // The getter returns the recorded pid during a replay. Signals that the program sends to itself and
        // listens to are on the tape: sending a second, real one would end the replay.
        const isOwn = pid === realProcess.pid || pid === 0
        if (isOwn && !session.isLive(PROCESS) && isFollowed(session, number)) return true
        // Node would open its inspector to everyone on this machine.
        if (!session.isLive(PROCESS) && number === signalNumber('SIGUSR1'))
          return session.start(PROCESS, 'process.kill SIGUSR1', () => undefined)
        if (isOwn) {
          announceDeath(session, number)
          return real(session.isLive(PROCESS) ? pid : realPid)
        }
        if (session.asksForTextPids === true && typeof target !== 'number' && number === 0) return real(pid)
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

/** A pid may be text, as it is read from a file. Null for one that Node rejects. */
function pidOf(pid: unknown): number | null {
  if (typeof pid !== 'number' && typeof pid !== 'string') return null
  const number = Number(pid)
  return number === (number | 0) ? number : null
}

/** Null for a signal that Node rejects. */
function signalOf(signal: unknown): number | null {
  if (typeof signal === 'number' && signal === (signal | 0)) return signal
  const name = signal || 'SIGTERM'
  return typeof name === 'string' ? signalNumber(name) || null : null
}
