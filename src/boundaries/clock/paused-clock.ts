/**
 * The world of `--clock paused`: time starts at the given moment and goes on only when the program has
 * nothing left to do but wait. Then the next timer fires at once, so a program that sleeps for an hour takes
 * no time.
 *
 * `isBusy` says whether something else may still reach the program: an outcome that waits in the gate, a
 * request under way. While it is busy time stands still; who makes it busy calls `wake` when that is over.
 */
import { realSetImmediate } from '../../real/clock.ts'
import { outside } from '../context.ts'
import type { ClockDriver } from './clock-driver.ts'
import { createVirtualClock } from './virtual-clock.ts'

export type PausedClock = ClockDriver & {
  /** Something has ended: look again whether time may go on. */
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
    // Only timers that a process stays alive for make time go on; the others then fire on the way.
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
