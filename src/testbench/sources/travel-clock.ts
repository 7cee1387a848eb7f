/**
 * The time of a run that leaves its tape. After an edit the run has no real time: a timer that is not on the
 * tape fires as soon as the program has nothing else to wait for, and time then goes forward by as much. Once
 * the run is live, its clock goes on from the recorded moment, at the speed of the real one.
 */
import { type ClockDriver, realClockDriver } from '../../boundaries/clock/clock-driver.ts'
import type { TravelState } from './travel-state.ts'

export type TravelClock = {
  readonly driver: ClockDriver
  /** How much later it is than on the tape. */
  readonly shiftMs: number
  /** The time of the run, in milliseconds of the tape. */
  nowMs(): number
  /** Time goes forward to this moment, if it is later than now. */
  advanceTo(ms: number): void
  /** The moment of the earliest timer that is not on the tape; null if there is none. */
  nextDueMs(): number | null
  /** Fires it. */
  fireNext(): void
  /** A value that the program read from the tape: the clock goes on from it. */
  noteRead(api: string, value: { readonly unit: 'ms' | 'ns'; readonly value: number | bigint }): void
  /** From now on the clock is the real one, moved to the recorded moment. */
  goLive(): void
}

/** `served` is the clock of the tape. */
export function createTravelClock(
  travel: TravelState,
  served: { now(): number; monotonicMs(): number },
  wake: () => void,
): TravelClock {
  const timers = new Map<number, { readonly dueMs: number; readonly fire: () => void }>()
  let shiftMs = 0
  let number = 0
  /** What the real clocks lack to the recorded moment. */
  let offset = { wallMs: 0, monotonicMs: 0, monotonicNs: 0n }
  let performanceMs: { readonly value: number; readonly atMs: number } | null = null
  let hrtimeNs: { readonly value: bigint; readonly atMs: number } | null = null

  const isLive = (): boolean => travel.stage === 'live'
  let wentLive: { readonly tapeMs: number; readonly realMs: number } | null = null
  const nowMs = (): number =>
    wentLive === null
      ? served.monotonicMs() + shiftMs
      : wentLive.tapeMs + realClockDriver.monotonicMs() - wentLive.realMs
  const wallMs = (): number =>
    isLive() ? Math.trunc(realClockDriver.wallMs() + offset.wallMs) : Math.trunc(served.now() + shiftMs)
  const monotonicMs = (): number =>
    isLive() ? realClockDriver.monotonicMs() + offset.monotonicMs : performanceNow()
  const performanceNow = (): number =>
    performanceMs === null ? nowMs() : performanceMs.value + nowMs() - performanceMs.atMs
  const hrtimeNow = (): bigint =>
    hrtimeNs === null
      ? BigInt(Math.trunc(nowMs() * 1e6))
      : hrtimeNs.value + BigInt(Math.trunc((nowMs() - hrtimeNs.atMs) * 1e6))

  const earliest = (): number | null => {
    let found: number | null = null
    for (const [id, { dueMs }] of timers)
      if (found === null || dueMs < (timers.get(found)?.dueMs ?? 0)) found = id
    return found
  }

  const driver: ClockDriver = {
    wallMs,
    wallNs: () => BigInt(wallMs()) * 1_000_000n,
    monotonicMs,
    monotonicNs: () => (isLive() ? realClockDriver.monotonicNs() + offset.monotonicNs : hrtimeNow()),
    timeOriginMs: () => wallMs() - monotonicMs(),
    uptimeMs: monotonicMs,
    arm(delayMs, ref, fire) {
      if (isLive()) return realClockDriver.arm(delayMs, ref, fire)
      number += 1
      const id = number
      timers.set(id, { dueMs: nowMs() + delayMs, fire })
      wake()
      return { setRef: () => undefined, disarm: () => void timers.delete(id) }
    },
  }

  return {
    driver,
    get shiftMs() {
      return shiftMs
    },
    nowMs,
    advanceTo(ms) {
      shiftMs += Math.max(0, ms - nowMs())
    },
    nextDueMs() {
      const id = earliest()
      return id === null ? null : (timers.get(id)?.dueMs ?? null)
    },
    fireNext() {
      const id = earliest()
      const timer = id === null ? undefined : timers.get(id)
      if (id === null || timer === undefined) return
      timers.delete(id)
      timer.fire()
    },
    noteRead(api, { unit, value }) {
      const atMs = nowMs()
      if (unit === 'ns' && api.startsWith('process.hrtime')) hrtimeNs = { value: BigInt(value), atMs }
      if (api === 'performance.now') performanceMs = { value: Number(value), atMs }
    },
    goLive() {
      offset = {
        wallMs: served.now() + shiftMs - realClockDriver.wallMs(),
        monotonicMs: performanceNow() - realClockDriver.monotonicMs(),
        monotonicNs: hrtimeNow() - realClockDriver.monotonicNs(),
      }
      wentLive = { tapeMs: nowMs(), realMs: realClockDriver.monotonicMs() }
      for (const { dueMs, fire } of timers.values())
        realClockDriver.arm(Math.max(1, dueMs - nowMs()), true, fire)
      timers.clear()
    },
  }
}
