/**
 * Answers to requests from an older tape, for a recording that brings it up to date: by key, then in recorded order among equal keys, each once. An answer
 * that the older run did not see whole (it was given up, or the tape ends) is none: that request goes out again.
 */
import { headerOf } from '../../base/index.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { readTapeEvents } from '../../tape/index.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { type Delivery, effectOf, isDelivery } from '../records/delivered-kinds.ts'
import { indexTape } from '../tape-index/tape-index.ts'
import { recordedOutcomes, type StreamPart } from './recorded-outcomes.ts'

export function answersFrom(path: string): (key: string) => readonly Outcome[] | null {
  const index = indexTape(path)
  const payloads = tapePayloads(path)
  const exchanges = exchangesOf(path)
  return (key) => {
    for (let effect = index.take('network', key); effect !== null; effect = index.take('network', key)) {
      const { deliveries, parts } = exchanges.get(effect) ?? NOTHING
      let hadTheirTurn = 0
      const recorded = recordedOutcomes(payloads, index.hasScrubbedStream, () => parts.slice(hadTheirTurn))
      const outcomes = deliveries.flatMap((delivery) => {
        if (delivery.kind.kind !== 'http_exchange') hadTheirTurn += 1
        return recorded.outcomesOf(delivery)
      })
      const answer = wholeAnswer(outcomes)
      if (answer !== null) return answer
    }
    return null
  }
}

type RecordedExchange = { readonly deliveries: Delivery[]; readonly parts: StreamPart[] }

const NOTHING: RecordedExchange = { deliveries: [], parts: [] }

/** What was handed out for each effect of the network, and the parts of its stream, in their order. */
function exchangesOf(path: string): ReadonlyMap<number, RecordedExchange> {
  const byEffect = new Map<number, RecordedExchange>()
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind } = event.record
    if (kind.kind === 'effect_start' && kind.boundary === 'network') byEffect.set(kind.id, { deliveries: [], parts: [] })
    if (kind.kind === 'stream_end' || (kind.kind === 'stream_chunk' && kind.direction === 'in')) byEffect.get(kind.of)?.parts.push(kind)
    if (isDelivery(event.record)) byEffect.get(effectOf(event.record))?.deliveries.push(event.record)
  }
  return byEffect
}

/** Null if the end is missing. A body that has all the bytes that its head promised is whole also if the run was over before its end was told. */
function wholeAnswer(outcomes: readonly Outcome[]): readonly Outcome[] | null {
  const last = outcomes.at(-1)
  if (last === undefined) return null
  if (last.type === 'end' || last.type === 'error') return outcomes
  const head = outcomes.find((outcome) => outcome.type === 'head')
  const promised = head === undefined ? undefined : headerOf(head.headers, 'content-length')
  const given = outcomes.reduce((sum, outcome) => sum + (outcome.type === 'chunk' ? outcome.bytes.byteLength : 0), 0)
  return promised !== undefined && given >= Number(promised) ? [...outcomes, { type: 'end', trailers: [] }] : null
}
