/**
 * A clock that advances only on request: to the moment when the next timer is due. Pure; nothing here waits.
 *
 * Timers fire in the order of their due times, and those due at the same moment in the order in which they
 * were armed. Time never goes backwards, and reading it does not advance it.
 */
import type { ArmedTimer, ClockDriver } from './clock-driver.ts'

export type VirtualClock = ClockDriver & {
  /** Advances to the earliest timer and fires it. Returns false and does nothing if none is armed. */
  fireNext(): boolean
  /** UNIX milliseconds at which the earliest timer is due; null if none is armed. */
  nextDueMs(): number | null
  /** Whether a timer is armed that would keep a process alive. */
  isAwaited(): boolean
}

export type VirtualClockOptions = {
  /** The first value, in UNIX milliseconds. */
  readonly startAtMs: number
  /** Called each time a timer is armed, or made to count again. */
  readonly onArmed?: () => void
}

type Entry = { readonly dueMs: number; readonly order: number; ref: boolean; readonly fire: () => void }

export function createVirtualClock({
  startAtMs,
  onArmed = () => undefined,
}: VirtualClockOptions): VirtualClock {
  const heap = createHeap()
  let elapsedMs = 0
  let order = 0
  let awaited = 0

  const remove = (entry: Entry): void => {
    if (heap.remove(entry) && entry.ref) awaited -= 1
  }

  return {
    wallMs: () => startAtMs + elapsedMs,
    wallNs: () => BigInt(startAtMs + elapsedMs) * 1_000_000n,
    monotonicMs: () => elapsedMs,
    monotonicNs: () => BigInt(elapsedMs) * 1_000_000n,
    timeOriginMs: () => startAtMs,
    uptimeMs: () => elapsedMs,
    arm(delayMs, ref, fire): ArmedTimer {
      order += 1
      // Node's own timers count whole milliseconds, at least one.
      const entry: Entry = { dueMs: elapsedMs + Math.max(1, Math.trunc(delayMs)), order, ref, fire }
      heap.add(entry)
      if (ref) awaited += 1
      onArmed()
      return {
        setRef(wanted) {
          if (wanted === entry.ref) return
          if (heap.has(entry)) awaited += wanted ? 1 : -1
          entry.ref = wanted
          if (wanted) onArmed()
        },
        disarm: () => remove(entry),
      }
    },
    fireNext() {
      const entry = heap.first()
      if (entry === null) return false
      remove(entry)
      elapsedMs = entry.dueMs
      entry.fire()
      return true
    },
    nextDueMs: () => {
      const entry = heap.first()
      return entry === null ? null : startAtMs + entry.dueMs
    },
    isAwaited: () => awaited > 0,
  }
}

type Heap = {
  add(entry: Entry): void
  /** False if it is not in the heap. */
  remove(entry: Entry): boolean
  has(entry: Entry): boolean
  first(): Entry | null
}

/** A binary heap, earliest first. Removed timers stay until they come to the top, but no longer count. */
function createHeap(): Heap {
  const slots: Entry[] = []
  const live = new Set<Entry>()
  const before = (a: Entry, b: Entry): boolean =>
    a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order)

  const rise = (from: number): void => {
    const entry = slots[from]
    let at = from
    while (entry !== undefined && at > 0) {
      const parent = (at - 1) >> 1
      const above = slots[parent]
      if (above === undefined || !before(entry, above)) break
      slots[at] = above
      slots[parent] = entry
      at = parent
    }
  }

  const sink = (): void => {
    const entry = slots[0]
    let at = 0
    while (entry !== undefined) {
      const left = slots[2 * at + 1]
      const right = slots[2 * at + 2]
      const child = right !== undefined && left !== undefined && before(right, left) ? right : left
      if (child === undefined || !before(child, entry)) break
      const down = child === left ? 2 * at + 1 : 2 * at + 2
      slots[at] = child
      slots[down] = entry
      at = down
    }
  }

  const dropTop = (): void => {
    const last = slots.pop()
    if (last === undefined || slots.length === 0) return
    slots[0] = last
    sink()
  }

  return {
    add(entry) {
      live.add(entry)
      slots.push(entry)
      rise(slots.length - 1)
    },
    remove: (entry) => live.delete(entry),
    has: (entry) => live.has(entry),
    first() {
      for (let top = slots[0]; top !== undefined; top = slots[0]) {
        if (live.has(top)) return top
        dropTop()
      }
      return null
    },
  }
}
