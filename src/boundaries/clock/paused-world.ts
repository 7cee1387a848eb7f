/**
 * The world of `--clock paused`: time starts where it is told and goes on only when the program has nothing left to do but wait. Then the next timer
 * fires at once, so a program that sleeps for an hour takes no time.
 *
 * `isBusy` says whether something else may still reach the program: an outcome that waits in the gate, a request under way. While it is busy time
 * stands still; who makes it busy calls `wake` when that is over.
 */
import { realSetImmediate } from '../../real/clock.ts'
import { outside } from '../context.ts'
import { createVirtualClock } from './virtual-clock.ts'
import type { ClockWorld } from './world.ts'

export type PausedWorld = ClockWorld & {
  /** Something has ended: look again whether time may go on. */
  wake(): void
}

export const DEFAULT_START_MS = 1_767_225_600_000

export function createPausedWorld({
  startAtMs = DEFAULT_START_MS,
  isBusy,
}: {
  readonly startAtMs?: number
  readonly isBusy: () => boolean
}): PausedWorld {
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
