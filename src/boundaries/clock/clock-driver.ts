/**
 * The time source of a recording: the machine's clock and timers, or a virtual clock that the engine gives
 * the session. A replay uses neither.
 *
 * Decision 0071.
 */
import {
  hrtime,
  monotonicMs,
  now,
  realClearTimeout,
  realSetTimeout,
  timeOriginMs,
  uptimeSeconds,
  wallNs,
} from '../../real/clock.ts'
import { outside } from '../context.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

export type ClockDriver = {
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

export const realClockDriver: ClockDriver = {
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

const clockDriver = sessionField(() => realClockDriver)

/** From now on `session` uses this clock. Without a call it uses the real one. */
export function useClockDriver(session: Session, driver: ClockDriver): void {
  clockDriver.set(session, driver)
}

export function worldOf(session: Session): ClockDriver {
  return clockDriver.get(session)
}
