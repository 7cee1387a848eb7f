/**
 * The whole request of a call, put together from what each call of its conversation added. Reads the tape
 * once; nothing is written back.
 *
 * An `effect_start` with a `request` gives the exact body: printing the value gives the bytes that were sent.
 * A call whose request was too large for a line has it as the payload of its `http_exchange`.
 */
import { type Json, textOrNull, tryParseJson, utf8 } from '../base/index.ts'
import { readCasEntry } from './cas.ts'
import type { Payload } from './fields.ts'
import { type GrownRequest, grow, grownRequestOf, isRequest, type RequestObject } from './grown-request.ts'
import type { Kind } from './kinds.ts'
import { readTapeEvents } from './reader.ts'

/** The request of the `llm_call` or `effect_start` with this `seq`; null if it is not on the tape. */
export function rebuildRequest(path: string, seq: number): RequestObject | null {
  return chainOf(readRequests(path), seq, path)
}

/** The exact bytes that effect `id` sent, or null if they are not on the tape. */
export function requestBytes(path: string, id: number): Uint8Array | null {
  return bytesOf(readRequests(path), id, path)
}

function bytesOf(requests: Requests, id: number, path: string): Uint8Array | null {
  const sent = requests.bodies.get(id)
  if (sent !== undefined) return payloadBytes(path, sent)
  const start = requests.starts.get(id)
  const body = start === undefined ? null : chainOf(requests, start, path)
  return body === null ? null : utf8(JSON.stringify(body))
}

/** Each recorded exchange with the exact bytes that it sent, if they are on the tape. */
export function* recordedExchanges(
  path: string,
): Iterable<{ readonly exchange: Kind<'http_exchange'>; readonly body: Uint8Array | null }> {
  const requests = readRequests(path)
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record' || event.record.kind.kind !== 'http_exchange') continue
    const exchange = event.record.kind
    yield { exchange, body: bytesOf(requests, exchange.id, path) }
  }
}

type Requests = {
  /**
   * By `seq`: the request stored in the record, and the effect whose payload has the body if the record has
   * none.
   */
  readonly records: ReadonlyMap<
    number,
    { readonly request: Json | undefined; readonly effect: number | undefined }
  >
  readonly starts: ReadonlyMap<number, number>
  readonly bodies: ReadonlyMap<number, Payload>
}

function readRequests(path: string): Requests {
  const records = new Map<
    number,
    { readonly request: Json | undefined; readonly effect: number | undefined }
  >()
  const starts = new Map<number, number>()
  const bodies = new Map<number, Payload>()
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind, seq } = event.record
    if (kind.kind === 'llm_call') records.set(seq, { request: kind.request, effect: kind.wire })
    if (kind.kind === 'effect_start' && kind.boundary === 'network') {
      records.set(seq, { request: kind.request, effect: kind.id })
      starts.set(kind.id, seq)
    }
    if (kind.kind === 'http_exchange' && kind.requestBody !== undefined) bodies.set(kind.id, kind.requestBody)
  }
  return { records, starts, bodies }
}

/** Goes back to the request that is stored whole, then forward again. */
function chainOf({ records, bodies, starts }: Requests, seq: number, path: string): RequestObject | null {
  const steps: GrownRequest[] = []
  let at = seq
  for (;;) {
    const record = records.get(at)
    if (record === undefined) return null
    const grown = record.request === undefined ? null : grownRequestOf(record.request)
    if (grown === null) {
      const whole = record.request ?? wireBody(record.effect, at)
      return isRequest(whole) ? steps.reduceRight(grow, whole) : null
    }
    // A base that is not earlier is damage, or a trap.
    if (grown.base >= at) return null
    steps.push(grown)
    at = grown.base
  }

  function wireBody(effect: number | undefined, from: number): Json | undefined {
    if (effect === undefined) return undefined
    const payload = bodies.get(effect)
    if (payload !== undefined) return tryParseJson(textOrNull(payloadBytes(path, payload)) ?? 'null')
    const start = starts.get(effect)
    return start === undefined || start >= from
      ? undefined
      : (chainOf({ records, bodies, starts }, start, path) ?? undefined)
  }
}

function payloadBytes(path: string, payload: Payload): Uint8Array {
  return payload.form === 'inline'
    ? utf8(payload.text)
    : readCasEntry(path, payload.contentHash, payload.lenBytes)
}
