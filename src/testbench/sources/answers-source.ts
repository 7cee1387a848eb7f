/**
 * Answers to requests from an older tape, for a recording that updates it: by key, then in recorded order
 * among equal keys, each once. An answer that the older run did not receive whole (the program closed it, or
 * the tape ends) is not used: that request is sent again.
 *
 * Decisions 0151 and 0340.
 */
import { headerOf, Queue } from '../../base/index.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import { type Chunk, readTapeEvents, type TapeRecord } from '../../tape/index.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { effectOf, isDelivery } from '../records/delivered-kinds.ts'
import type { Delivery } from '../session/delivery.ts'
import type { TapeTools } from '../session/family.ts'
import type { Kernel, OpenEffect, Source } from '../session/source.ts'
import { ForeignSpawns } from '../tape-index/foreign-spawns.ts'
import { indexTape, type TapeIndex } from '../tape-index/tape-index.ts'
import { olderReads } from './older-reads.ts'

export type OlderTape = {
  readonly tools: TapeTools
  /** Clock and randomness as recorded. */
  readonly reads: Pick<Source, 'readClock' | 'readRandom'>
  readonly index: TapeIndex
  /** The records of an exchange that the program received whole; null otherwise. */
  take(
    key: string,
  ): { readonly effect: number; readonly records: readonly TapeRecord[]; readonly lacksEnd: boolean } | null
  /** These records have not been delivered. */
  setAhead(records: readonly TapeRecord[]): void
}

export function olderTape(path: string, scrubber: Scrubber): OlderTape {
  const index = indexTape(path)
  const payloads = tapePayloads(path)
  const exchanges = exchangesOf(path)
  let ahead: readonly TapeRecord[] = []
  const tools: TapeTools = {
    path,
    header: index.header,
    index,
    payloads,
    moved: (text) => text,
    knownKey: () => null,
    knownBytes: () => null,
    keyText: (key) => fromDisk<string>(key),
    foreign: new ForeignSpawns([], scrubber, payloads),
    ahead: () => ahead,
    unread: () => [],
    next: () => null,
    hasLeft: () => false,
  }
  return {
    tools,
    index,
    reads: olderReads(path, payloads),
    take(key) {
      for (let effect = index.take('network', key); effect !== null; effect = index.take('network', key)) {
        const records = exchanges.get(effect) ?? []
        const whole = wholeness(records, payloads)
        if (whole !== 'cut') return { effect, records, lacksEnd: whole === 'lacks end' }
      }
      return null
    },
    setAhead(records) {
      ahead = records
    },
  }
}

export function answersSource(
  { gate }: Kernel,
  older: OlderTape,
): Pick<Source, 'start' | 'opened' | 'arrive' | 'closed' | 'next' | 'readClock' | 'readRandom'> {
  const waiting = new Queue<{ readonly effect: OpenEffect; readonly delivery: Delivery }>()
  const taken = new Map<number, NonNullable<ReturnType<OlderTape['take']>>>()
  return {
    ...older.reads,
    start({ options }, { keys }) {
      const exchange = options.request === undefined ? null : older.take(keys[0])
      if (exchange === null) return null
      taken.set(exchange.effect, exchange)
      return { type: 'tape', effect: exchange.effect }
    },
    opened(effect, origin) {
      const exchange = origin.type === 'world' ? undefined : taken.get(origin.effect)
      if (exchange === undefined) return
      taken.delete(exchange.effect)
      for (const [at, record] of exchange.records.entries()) {
        older.setAhead(exchange.records.slice(at + 1))
        // An end by the program delivers nothing: it only contains the tail that the last chunk needs.
        if (!isDelivery(record)) continue
        for (const delivery of effect.code.decode?.(record) ?? []) waiting.push({ effect, delivery })
      }
      if (exchange.lacksEnd) waiting.push({ effect, delivery: { outcome: { type: 'end', trailers: [] } } })
      gate.wake()
    },
    arrive: () => undefined,
    closed: () => undefined,
    next() {
      const first = waiting.shift()
      if (first === undefined) return 'idle'
      gate.wake()
      if (first.effect.closed) return 'more'
      const { effect } = first
      let delivery: Delivery | null = { ...first.delivery, together: false }
      return {
        effect,
        next() {
          const given = delivery
          delivery = null
          if (given !== null) return given
          // What the program received in one turn arrives in one turn again.
          const following = waiting.peek()
          if (effect.closed || following?.effect !== effect || following.delivery.together !== true)
            return null
          return waiting.shift()?.delivery ?? null
        },
      }
    },
  }
}

/** What was delivered for each effect of the network, in order. */
function exchangesOf(path: string): ReadonlyMap<number, TapeRecord[]> {
  const byEffect = new Map<number, TapeRecord[]>()
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind } = event.record
    if (kind.kind === 'effect_start' && kind.boundary === 'network') byEffect.set(kind.id, [])
    else if (kind.kind === 'stream_end' || isDelivery(event.record)) {
      const effect =
        kind.kind === 'stream_end' ? kind.of : isDelivery(event.record) ? effectOf(event.record) : 0
      byEffect.get(effect)?.push(event.record)
    }
  }
  return byEffect
}

/**
 * A body with all the bytes that its head declares is whole, even if the run ended before its end was
 * delivered.
 */
function wholeness(
  records: readonly TapeRecord[],
  resolve: (chunk: Chunk) => Uint8Array,
): 'whole' | 'lacks end' | 'cut' {
  const last = records.at(-1)?.kind
  if (last === undefined) return 'cut'
  if (last.kind === 'http_exchange' && last.status === null) return 'whole'
  if (last.kind === 'stream_end' && last.closedBy === undefined) return 'whole'
  const head = records.find(({ kind }) => kind.kind === 'http_exchange')?.kind
  const promised =
    head?.kind === 'http_exchange' ? headerOf(head.responseHeaders, 'content-length') : undefined
  let given = 0
  for (const { kind } of records) {
    if (kind.kind === 'stream_chunk') given += resolve(kind.data).byteLength
    if (kind.kind === 'stream_end' && kind.tail !== undefined) given += resolve(kind.tail).byteLength
  }
  return promised !== undefined && given >= Number(promised) ? 'lacks end' : 'cut'
}
