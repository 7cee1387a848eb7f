/**
 * Clock and randomness of a recording that updates an older tape: the recorded values, in recorded order per
 * function. When the older tape has no more, the clock continues from the last recorded value in real time,
 * and randomness is real.
 *
 * A prompt that contains the date, or an id, is then the same request as before and is answered from the
 * tape.
 *
 * Decision 0340.
 */

import { Queue } from '../../base/index.ts'
import type { ClockValue } from '../../boundaries/session.ts'
import { readTapeEvents } from '../../tape/reader.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { type ClockText, clockValue } from '../records/clock-text.ts'
import type { Source } from '../session/source.ts'

export function olderReads(path: string, payloads: TapePayloads): Pick<Source, 'readClock' | 'readRandom'> {
  const { clocks, randoms, startedAtMs } = recordedReads(path, payloads)
  /** Milliseconds from the real clock to the recorded one: by function, and one for all wall clocks. */
  const offsets = new Map<string, number>()
  return {
    readClock({ api, source }, perform) {
      const real = perform()
      const recorded = clocks.get(api)?.shift()
      const clock = source === 'wall' ? 'wall' : api
      if (recorded !== undefined) {
        const value = clockValue(recorded, real.unit)
        offsets.set(clock, inMs(value) - inMs(real))
        return { value }
      }
      const atStart = source === 'wall' && startedAtMs !== null ? startedAtMs - inMs(real) : 0
      const offset = offsets.get(clock) ?? atStart
      offsets.set(clock, offset)
      return { value: moved(real, offset) }
    },
    readRandom({ api, size }, perform) {
      const queue = randoms.get(`${api} ${size ?? ''}`)
      return { value: queue?.shift() ?? perform() }
    },
  }
}

type Reads = {
  readonly clocks: ReadonlyMap<string, Queue<ClockText>>
  readonly randoms: ReadonlyMap<string, Queue<Uint8Array>>
  readonly startedAtMs: number | null
}

function recordedReads(path: string, payloads: TapePayloads): Reads {
  const clocks = new Map<string, Queue<ClockText>>()
  const randoms = new Map<string, Queue<Uint8Array>>()
  let startedAtMs: number | null = null
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind, virtualTimeMs, scrubbed = 0 } = event.record
    startedAtMs ??= virtualTimeMs
    if (kind.kind === 'clock_read' && kind.api !== undefined) add(clocks, kind.api, kind)
    // The function did not return a value with a placeholder in it.
    if (kind.kind !== 'random_read' || scrubbed > 0) continue
    const bytes = payloads(kind.data)
    // `Math.random` and `randomUUID` are read without a size.
    add(randoms, `${kind.api} `, bytes)
    add(randoms, `${kind.api} ${bytes.byteLength}`, bytes)
  }
  return { clocks, randoms, startedAtMs }
}

function add<T>(queues: Map<string, Queue<T>>, name: string, value: T): void {
  const queue = queues.get(name) ?? new Queue<T>()
  queues.set(name, queue)
  queue.push(value)
}

function inMs({ unit, value }: ClockValue): number {
  return unit === 'ms' ? value : Number(value) / 1e6
}

function moved(real: ClockValue, offsetMs: number): ClockValue {
  if (real.unit === 'ms') {
    const value = real.value + offsetMs
    return { unit: 'ms', value: Number.isInteger(real.value) ? Math.trunc(value) : value }
  }
  return { unit: 'ns', value: real.value + BigInt(Math.trunc(offsetMs * 1e6)) }
}
