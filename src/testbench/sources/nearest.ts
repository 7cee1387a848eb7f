/**
 * The recorded response that is closest to a request that the tape does not have: same method and address,
 * and the most similar body. A response may be used more than once.
 */
import { headerOf } from '../../base/index.ts'
import { errorFactsOf } from '../../boundaries/errors.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { readTapeEvents, requestBytes, type TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { piecesOf } from '../edits/stream-draft.ts'

export type Nearest = { readonly seq: number; readonly outcomes: readonly Outcome[] }

/** Requests that are compared by their bodies. */
const MOST_COMPARED = 200

export function nearestResponse(
  path: string,
  key: string,
  body: Uint8Array | null,
  payloads: TapePayloads,
): Nearest | null {
  const found = closestEffect(path, addressOf(key), body)
  return found === null ? null : responseOf(path, found, payloads)
}

function closestEffect(path: string, address: string, body: Uint8Array | null): number | null {
  const candidates: number[] = []
  const answered = new Set<number>()
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind } = event.record
    if (kind.kind === 'effect_start' && kind.boundary === 'network' && addressOf(kind.key) === address)
      candidates.push(kind.id)
    if (kind.kind === 'http_exchange') answered.add(kind.id)
  }
  const usable = candidates.filter((id) => answered.has(id)).slice(-MOST_COMPARED)
  let best: { readonly id: number; readonly likeness: number } | null = null
  for (const id of usable) {
    const likeness = likenessOf(requestBytes(path, id), body)
    if (best === null || likeness >= best.likeness) best = { id, likeness }
  }
  return best?.id ?? null
}

/** The share of bytes that two bodies have in common at their beginning and at their end. */
function likenessOf(recorded: Uint8Array | null, live: Uint8Array | null): number {
  if (recorded === null || live === null) return recorded === live ? 1 : 0
  const most = Math.min(recorded.byteLength, live.byteLength)
  let start = 0
  while (start < most && recorded[start] === live[start]) start += 1
  let end = 0
  while (end < most - start && recorded.at(-1 - end) === live.at(-1 - end)) end += 1
  const longest = Math.max(recorded.byteLength, live.byteLength)
  return longest === 0 ? 1 : (start + end) / longest
}

/** Method and address of a key, without the digest of the body. */
function addressOf(key: string): string {
  return key.replace(/ #[0-9a-f]{24}$/, '')
}

function responseOf(path: string, id: number, payloads: TapePayloads): Nearest | null {
  const records: TapeRecord[] = []
  let head: TapeRecord | null = null
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { kind } = event.record
    if (kind.kind === 'http_exchange' && kind.id === id) head = event.record
    if ((kind.kind === 'stream_chunk' || kind.kind === 'stream_end') && kind.of === id)
      records.push(event.record)
  }
  if (head?.kind.kind !== 'http_exchange') return null
  const { status, statusText = '', responseHeaders, error } = head.kind
  if (status === null) return { seq: head.seq, outcomes: [{ type: 'error', error: errorFactsOf(error) }] }
  const pieces = piecesOf(records, payloads)
  const length = pieces.reduce(
    (sum, { what }) => sum + (what.type === 'chunk' ? what.bytes.byteLength : 0),
    0,
  )
  const headers =
    headerOf(responseHeaders, 'content-length') === undefined
      ? responseHeaders
      : responseHeaders.map(
          ([name, value]) =>
            [name, name.toLowerCase() === 'content-length' ? String(length) : value] as const,
        )
  const parts = pieces.map(
    ({ what }): Outcome =>
      what.type === 'chunk'
        ? { type: 'chunk', bytes: what.bytes }
        : what.error === null
          ? { type: 'end', trailers: what.trailers ?? [] }
          : { type: 'error', error: errorFactsOf(what.error) },
  )
  const isEnded = parts.at(-1)?.type !== 'chunk' && parts.length > 0
  const whole: readonly Outcome[] = isEnded ? parts : [...parts, { type: 'end', trailers: [] }]
  return { seq: head.seq, outcomes: [{ type: 'head', status, statusText, headers }, ...whole] }
}
