/**
 * How long a replay waits for its program, counted in idle time and not by the wall: a program that computes,
 * or a machine that is too busy to let it run, must not be taken for one that is stuck.
 *
 * Checked repeatedly in short intervals. Between two looks in which the process has used the processor
 * it is at work, and the count begins anew; a look that comes late counts only as much as one that comes in
 * time.
 *
 * Decision 0155.
 */
import { outside } from '../../boundaries/context.ts'
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { cpuMs } from '../../real/cpu.ts'

export type Patience = {
  /** Another look: whether idle time has come to `limitMs`. */
  isOver(limitMs: number): boolean
  reset(): void
}

/**
 * Idle time after which a replay takes its program for one that waits for something that the tape never
 * delivers.
 */
export const PATIENCE_MS = 900
export const LOOK_EVERY_MS = 5
/** Timers are never quite on time. */
const MOST_PER_LOOK_MS = 2 * LOOK_EVERY_MS
/** Looking costs something itself. */
const AT_WORK = 0.5
/** However busy it is: after this many times the limit on the wall it is over. */
const MOST_WALL = 30
/** A look that comes this late was not delayed by load alone. */
const STOPPED_MS = 1000

export function createPatience(wall: () => number = monotonicMs, cpu: () => number = cpuMs): Patience {
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
        idleMs = isAtWork ? 0 : idleMs + Math.min(elapsed, MOST_PER_LOOK_MS)
        // The process was stopped, by a debugger or by the system: that time was not its own.
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
 * Waits for the body of a replay. One that is idle for longer than the patience of a replay waits for
 * something that the tape never delivers. `idleMs`: since it last started or received something.
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
      if (idleMs() < LOOK_EVERY_MS) patience.reset()
      if (patience.isOver(PATIENCE_MS)) done({ type: 'waits' })
      else timer = outside(() => realSetTimeout(watch, LOOK_EVERY_MS))
    }
    promise.then(
      (value) => done({ type: 'value', value }),
      (error: unknown) => done({ type: 'failed', error }),
    )
    watch()
  })
}
