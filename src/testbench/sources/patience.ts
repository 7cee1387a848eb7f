/**
 * How long a replay waits for its program, counted in idle time and not in wall time: a program that
 * computes, or that a busy machine does not run, must not count as stuck.
 *
 * Checked repeatedly in short intervals. If the process has used the processor between two checks, it is
 * working, and the count begins again. A late check counts only as much as one in time. While Node may be
 * loading a module, in a thread that a busy machine does not run, or from a slow disk, a check counts a tenth.
 *
 * Decision 0155.
 */
import { outside } from '../../boundaries/context.ts'
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { cpuMs } from '../../real/cpu.ts'
import { mayBeLoading } from '../../real/loader-work.ts'

export type Patience = {
  /** Another check: whether idle time has reached `limitMs`. */
  isOver(limitMs: number): boolean
  reset(): void
}

/**
 * After this much idle time a replay decides that its program waits for something that the tape never
 * delivers.
 */
export const PATIENCE_MS = 900
export const LOOK_EVERY_MS = 5
/** A body that has just started or received something is not stuck. */
const LOOK_WHILE_ACTIVE_MS = 50
/** Timers are never exactly on time. */
const MOST_PER_LOOK_MS = 2 * LOOK_EVERY_MS
/** A check itself costs time. */
const AT_WORK = 0.5
/** The limit in wall time: this many times the idle limit, however busy the process is. */
const MOST_WALL = 30
/** The part of the time that counts while Node may be loading a module. */
const WHILE_LOADING = 0.1
/** A check that is this late was not delayed by load alone. */
const STOPPED_MS = 1000

export function createPatience(
  wall: () => number = monotonicMs,
  cpu: () => number = cpuMs,
  isLoading: () => boolean = mayBeLoading,
): Patience {
  let idleMs = 0
  let first: number | null = null
  let last: { readonly wall: number; readonly cpu: number } | null = null
  return {
    isOver(limitMs) {
      const now = { wall: wall(), cpu: cpu() }
      first ??= now.wall
      if (last !== null) {
        const elapsed = now.wall - last.wall
        const isAtWork = elapsed >= 1 && now.cpu - last.cpu > elapsed * AT_WORK
        const counted = Math.min(elapsed, MOST_PER_LOOK_MS) * (isLoading() ? WHILE_LOADING : 1)
        idleMs = isAtWork ? 0 : idleMs + counted
        // The process was stopped, by a debugger or by the system: that time does not count.
        if (elapsed > STOPPED_MS) first += elapsed
      }
      last = now
      return idleMs > limitMs || now.wall - first > limitMs * MOST_WALL
    },
    reset() {
      idleMs = 0
      first = null
      last = null
    },
  }
}

/** How a body ended, or that it waits. */
export type Settled<T> =
  | { readonly type: 'value'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'waits' }

/**
 * Waits for the body of a replay. A body that is idle for longer than the limit waits for something that the
 * tape never delivers. `idleMs`: since it last started or received something.
 */
export function settledOrWaiting<T>(promise: Promise<T>, idleMs: () => number): Promise<Settled<T>> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | null = null
    const done = (outcome: Settled<T>): void => {
      if (timer !== null) realClearTimeout(timer)
      resolve(outcome)
    }
    const patience = createPatience()
    const watch = (): void => {
      const isActive = idleMs() < LOOK_EVERY_MS
      if (isActive) patience.reset()
      else if (patience.isOver(PATIENCE_MS)) {
        done({ type: 'waits' })
        return
      }
      timer = outside(() => realSetTimeout(watch, isActive ? LOOK_WHILE_ACTIVE_MS : LOOK_EVERY_MS))
    }
    promise.then(
      (value) => done({ type: 'value', value }),
      (error: unknown) => done({ type: 'failed', error }),
    )
    watch()
  })
}
