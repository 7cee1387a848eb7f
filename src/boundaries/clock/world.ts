/**
 * Where a recording takes its time from: the machine's clock and timers, or a virtual clock that the engine has given the session. A replay asks
 * neither.
 */
import { hrtime, monotonicMs, now, realClearTimeout, realSetTimeout, timeOriginMs, uptimeSeconds, wallNs } from '../../real/clock.ts'
import { outside } from '../context.ts'
import type { Session } from '../session.ts'

export type ClockWorld = {
  /** UNIX milliseconds, whole. */
  wallMs(): number
  wallNs(): bigint
  /** Milliseconds since `timeOriginMs`. */
  monotonicMs(): number
  monotonicNs(): bigint
  timeOriginMs(): number
  /** Milliseconds since the process began. */
  uptimeMs(): number
  arm(delayMs: number, ref: boolean, fire: () => void): ArmedTimer
}

export type ArmedTimer = {
  setRef(ref: boolean): void
  disarm(): void
}

const realWorld: ClockWorld = {
  wallMs: now,
  wallNs,
  monotonicMs,
  monotonicNs: hrtime,
  timeOriginMs,
  uptimeMs: () => uptimeSeconds() * 1000,
  arm(delayMs, ref, fire) {
    const timer = outside(() => realSetTimeout(fire, delayMs))
    if (!ref) timer.unref()
    return {
      setRef: (wanted) => void (wanted ? timer.ref() : timer.unref()),
      disarm: () => realClearTimeout(timer),
    }
  },
}

const given = new WeakMap<Session, ClockWorld>()

/** From now on `session` lives in `world`. Without this it lives in the real one. */
export function useClockWorld(session: Session, world: ClockWorld): void {
  given.set(session, world)
}

export function worldOf(session: Session): ClockWorld {
  return given.get(session) ?? realWorld
}
