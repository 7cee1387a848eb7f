/**
 * Joins the records of a request that came whole: its head, its body and its end, which are next to each other on the
 * tape if a secret was replaced in the body, or if it is compressed. The recorded program had the whole request at
 * once, so it may read a value before the body that the tape has after the end.
 *
 * Does not join a request with trailers, and one whose body came in several pieces.
 *
 * Decision 0401.
 */
import { concatBytes } from '../../base/index.ts'
import type { IncomingRequest, Outcome } from '../../boundaries/session.ts'
import type { Kind, TapeRecord } from '../../tape/index.ts'
import type { Delivery } from '../session/delivery.ts'

type Decode = (record: TapeRecord) => readonly Delivery[]

/** The program receives the request with its end; each record is written as before. */
export function joinWholeRequests(decode: Decode, ahead: () => Iterable<TapeRecord>): Decode {
  let head: IncomingRequest | null = null
  let body: Uint8Array[] = []

  const held = (delivery: Delivery): Delivery => {
    const { outcome } = delivery
    if (outcome.type === 'chunk') body.push(outcome.bytes)
    if (outcome.type !== 'end' || head === null) return { ...delivery, given: [] }
    const whole = { ...head, body: concatBytes(body) }
    head = null
    body = []
    return { ...delivery, given: [whole] }
  }

  return (record) => {
    const deliveries = decode(record)
    const { kind } = record
    if (kind.kind === 'server_request' && kind.body === undefined && isWhole(record, kind.of, ahead()))
      head = requestOf(deliveries)
    return head === null ? deliveries : deliveries.map(held)
  }
}

function isWhole(head: TapeRecord, effect: number, ahead: Iterable<TapeRecord>): boolean {
  let seq = head.seq
  for (const { seq: at, kind } of ahead) {
    seq += 1
    if (at !== seq || (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end')) return false
    if (kind.of !== effect || kind.turn !== 'same' || kind.stream !== undefined) return false
    if (kind.kind === 'stream_end') return isPlainEnd(kind)
    if (kind.direction !== 'in' || seq > head.seq + 1) return false
  }
  return false
}

function isPlainEnd({ error, trailers, closedBy }: Kind<'stream_end'>): boolean {
  return error === null && trailers === undefined && closedBy === undefined
}

/** As the program gets it: with the credentials that it has issued. */
function requestOf(deliveries: readonly Delivery[]): IncomingRequest | null {
  const [delivery] = deliveries
  const request: Outcome | undefined = delivery?.given?.[0] ?? delivery?.outcome
  return request?.type === 'request' ? request : null
}
