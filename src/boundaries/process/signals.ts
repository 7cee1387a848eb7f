/**
 * Signals from outside that the program listens to. Listening is an effect, which starts with the first
 * listener and ends with the last; each signal is an outcome of it and takes its turn at the gate. In a
 * replay only the tape sends signals.
 *
 * A signal without a listener is not the program's: see process-end of the testbench. Listening keeps no
 * process alive.
 */
import { label } from '../../base/index.ts'
import { signals } from '../../real/signals.ts'
import { callersOf } from '../caller.ts'
import type { AnyFunction } from '../patches.ts'
import type { Effect, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

const PROCESS = label('process')

const followed = sessionField<(signal: number) => boolean>(() => () => false)

/** Whether the program listens to this signal, and the session delivers it. */
export function isFollowed(session: Session, signal: number): boolean {
  return followed.get(session)(signal)
}

const lastCalls = sessionField<((signal: NodeJS.Signals) => void) | null>(() => null)

/** `call` is called before the program sends itself a signal that can end it. */
export function beforeDeath(session: Session, call: (signal: NodeJS.Signals) => void): void {
  lastCalls.set(session, call)
}

/** The program is about to send this signal to its own process, or to its whole group. */
export function announceDeath(session: Session, number: number): void {
  const deadly = session.waitsForOwnSignals === true ? UNCAUGHT : [...CAUGHT, ...UNCAUGHT]
  const name = deadly.find((signal) => signals[signal] === number)
  if (name !== undefined) lastCalls.get(session)?.(name)
}

/**
 * Signals that process-end catches. Sent to the own process, Node would deliver one only in a later turn, which may
 * not come: without a listener of the program it must end the process within `process.kill`, as in plain Node.
 */
export const CAUGHT: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** They end a process that does not listen; the first cannot be listened to. */
const UNCAUGHT: readonly NodeJS.Signals[] = [
  'SIGKILL',
  'SIGABRT',
  'SIGQUIT',
  'SIGSEGV',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGTRAP',
  'SIGSYS',
  'SIGALRM',
  'SIGVTALRM',
  'SIGPROF',
  'SIGUSR2',
  'SIGXCPU',
  'SIGIO',
  'SIGPOLL',
  'SIGPWR',
  'SIGSTKFLT',
]

export type SignalFollower = {
  /** A listener is being added, or has been removed. `count` is how many the program has then. */
  listeners(event: unknown, count: number): void
  /** An event is being emitted. Returns true if it is a signal that waits for its turn now. */
  takes(event: unknown, emit: AnyFunction): boolean
}

export function followSignals(
  session: Session,
  deliver: (signal: string, number: number) => void,
): SignalFollower {
  const open = new Map<string, Effect>()
  followed.set(session, (number) => [...open.keys()].some((signal) => signals[signal] === number))
  let delivering = false

  const start = (signal: string, number: number): Effect =>
    session.start(
      PROCESS,
      `signal ${signal}`,
      () => {
        delivering = true
        try {
          deliver(signal, number)
        } finally {
          delivering = false
        }
      },
      { ref: false, supporting: true },
    )

  return {
    listeners(event, count) {
      const number = typeof event === 'string' ? signals[event] : undefined
      if (typeof event !== 'string' || number === undefined) return
      const known = open.get(event)
      if (count > 0 && known === undefined) {
        const effect = startOrNot(() => start(event, number), session)
        if (effect !== null) open.set(event, effect)
      } else if (count === 0 && known !== undefined) {
        known.close()
        open.delete(event)
      }
    },
    takes(event, emit) {
      const effect = typeof event === 'string' ? open.get(event) : undefined
      if (effect === undefined || delivering || !isFromOutside(emit)) return false
      if (effect.isLive) effect.arrive({ type: 'completion' })
      return true
    },
  }
}

/**
 * Whether Node's own trampoline made the running call of `emit`: the program may emit such an event itself.
 */
export function isFromOutside(emit: AnyFunction): boolean {
  return callersOf(emit, 2).every((file) => file === 'node:internal/async_hooks' || file === 'node:domain')
}

/**
 * A replay whose program listens to one more signal than the tape has continues: no such signal will arrive.
 */
function startOrNot(start: () => Effect, session: Session): Effect | null {
  try {
    return start()
  } catch (error) {
    if (session.isLive(PROCESS)) throw error
    return null
  }
}
