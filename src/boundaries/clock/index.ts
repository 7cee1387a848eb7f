/** The clock: everything that reads the time or waits for it. */
import type { Patch } from '../patches.ts'
import { datePatches } from './date.ts'
import { markPatches } from './marks.ts'
import { readPatches } from './reads.ts'
import { temporalPatches } from './temporal.ts'
import { timerPatches } from './timers.ts'
import { promisedTimerPatches } from './timers-promises.ts'

export { useClockDriver } from './clock-driver.ts'
export { readWallOf } from './date.ts'

export function clockPatches(): Patch[] {
  return [
    ...datePatches(),
    ...readPatches(),
    ...markPatches(),
    ...temporalPatches(),
    ...timerPatches(),
    ...promisedTimerPatches(),
  ]
}
