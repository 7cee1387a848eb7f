/**
 * Answers to requests from an older tape, for a recording that brings it up to date: by key, then in recorded order among equal keys, each once. An answer
 * that the older run did not see whole (it was given up, or the tape ends) is none: that request goes out again.
 */
import type { Outcome } from '../boundaries/session.ts'
import { readTapeEvents } from '../tape/index.ts'
import { tapePayloads } from '../tape/tape-payloads.ts'
import { type Delivery, effectOf, isDelivery } from './delivered-kinds.ts'
import { recordedOutcomes, type StreamPart } from './recorded-outcomes.ts'
import { indexTape } from './tape-index.ts'

export function answersFrom(path: string): (key: string) => readonly Outcome[] | null {
  const index = indexTape(path)
  const deliveries = deliveriesOf(path)
  const partsOf = (effect: number): StreamPart[] =>
    (deliveries.get(effect) ?? []).map(({ kind }) => kind).filter((kind) => kind.kind === 'stream_chunk' || kind.kind === 'stream_end')
  return (key) => {
    for (;;) {
      const effect = index.take('network', key)
      if (effect === null) return null
      const outcomes = wholeAnswer(deliveries.get(effect) ?? [])
      if (outcomes === null) continue
      const recorded = recordedOutcomes(tapePayloads(path), index.hasScrubbedStream, function* (id) {
        yield* partsOf(id).slice(given)
      })
      let given = 0
      return outcomes.flatMap((delivery) => {
        if (delivery.kind.kind !== 'http_exchange') given += 1
        return recorded.outcomesOf(delivery)
      })
    }
  }
}

/** The deliveries of each effect of the network, in their order. */
function deliveriesOf(path: string): ReadonlyMap<number, readonly Delivery[]> {
  const byEffect = new Map<number, Delivery[]>()
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind } = event.record
    if (kind.kind === 'effect_start' && kind.boundary === 'network') byEffect.set(kind.id, [])
    if (isDelivery(event.record)) byEffect.get(effectOf(event.record))?.push(event.record)
  }
  return byEffect
}

function wholeAnswer(deliveries: readonly Delivery[]): readonly Delivery[] | null {
  const last = deliveries.at(-1)?.kind
  const isWhole = last?.kind === 'stream_end' || (last?.kind === 'http_exchange' && last.status === null)
  return isWhole ? deliveries : null
}
