/**
 * The clock of `--clock paused`: time starts at the given moment and advances only when the program has
 * nothing left to do but wait. Then the next timer fires at once, so a program that sleeps for an hour takes
 * no time.
 *
 * `isBusy` returns whether something else may still reach the program: an outcome that waits in the gate, a
 * pending request. Time does not advance while it is busy; the code that makes it busy calls `wake` when that
 * is over.
 */
import { realSetImmediate } from '../../real/clock.ts'
import { outside } from '../context.ts'
import type { ClockDriver } from './clock-driver.ts'
import { createVirtualClock } from './virtual-clock.ts'

export type PausedClock = ClockDriver & {
  /** Something has ended: check again whether time may advance. */
  wake(): void
}

const DEFAULT_START_MS = 1_767_225_600_000

export function createPausedClock({
  startAtMs = DEFAULT_START_MS,
  isBusy,
}: {
  readonly startAtMs?: number
  readonly isBusy: () => boolean
}): PausedClock {
  let armed: NodeJS.Immediate | null = null

  const turn = (): void => {
    armed = null
    // Only timers that keep a process alive make time advance; the others fire on the way.
    if (isBusy() || !clock.isAwaited()) return
    clock.fireNext()
    wake()
  }

  const wake = (): void => {
    if (clock.nextDueMs() === null) return
    armed ??= outside(() => realSetImmediate(turn))
    if (clock.isAwaited()) armed.ref()
    else armed.unref()
  }

  const clock = createVirtualClock({ startAtMs, onArmed: () => wake() })
  return { ...clock, wake }
}
