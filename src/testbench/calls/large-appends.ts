/**
 * Large files that a program appends to. The record has the whole content, as for small files, and `from`
 * has the offset at which the appended part begins. Content passes in pieces: memory does not grow with it.
 *
 * A replay has the appended part only. The part before it comes from the tape.
 *
 * Decision 0390.
 */
import { type Blake3Stream, createBlake3, utf8 } from '../../base/index.ts'
import { LARGE_BYTES } from '../../boundaries/files/file-access.ts'
import type { Sent } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { Scrubbed } from '../../scrub/index.ts'
import { casPieces } from '../../tape/cas.ts'
import { type Payload, payloadLength } from '../../tape/index.ts'
import { AppendedStream } from '../records/appended-stream.ts'
import { ContentCollector, hashDivergence } from '../records/large-content.ts'
import { sentDivergence } from '../records/sent-content.ts'
import type { Tools } from '../session/family.ts'
import type { AppendedContent } from './appended-content.ts'

const NOTHING = new Uint8Array()

export type StoredAppend = {
  readonly stored: Scrubbed<Payload>
  readonly from: number
  readonly divergence: Divergence | null
}

/** In a recording. `from`: where the appended part begins in the content as it is. */
export function storeAppended(
  path: string,
  pieces: Iterable<Uint8Array>,
  from: number,
  appended: AppendedContent,
  tools: Tools,
): StoredAppend & { readonly hash: Blake3Stream; readonly rawLength: number } {
  const hash = createBlake3()
  const whole = new ContentCollector(tools, true, hash)
  // The appended part alone: where it begins in the scrubbed content follows from how long it is.
  const end = new AppendedStream(tools.scrubber)
  let endBytes = end.push(appended.withHeld(path, NOTHING)).byteLength
  let at = 0
  for (const piece of pieces) {
    whole.add(piece)
    if (at + piece.byteLength > from) endBytes += end.push(piece.subarray(Math.max(0, from - at))).byteLength
    at += piece.byteLength
  }
  endBytes += end.end().byteLength
  const stored = whole.end()
  appended.keepEnd(path, whole.appended?.last ?? NOTHING, at)
  const start = Math.max(0, payloadLength(stored) - endBytes)
  return { stored, from: start, divergence: null, hash, rawLength: at }
}

export type RecordedAppend = {
  readonly path: string
  readonly payload: Payload
  readonly from: number
  readonly seq: number
  /** What was written, for the message. */
  readonly what: string
}

/** In a replay. Null if the content is not large. */
export function compareAppended(
  recorded: RecordedAppend,
  sent: Sent,
  appended: AppendedContent,
  tools: Tools,
): StoredAppend | null {
  const { path, payload, from } = recorded
  if (tools.tape === null || payload.form !== 'cas' || payload.lenBytes <= LARGE_BYTES) return null
  const collected = sent.collected?.() ?? null
  const collector =
    collected instanceof ContentCollector ? collected : collectorOf(recorded, sent, appended, tools)
  const end = collector.end()
  const before = (): Iterable<Uint8Array> => rangeOf(piecesOf(tools.tape?.path ?? null, payload), 0, from)
  const { last = NOTHING, length = 0 } = collector.appended ?? {}
  appended.keepEnd(path, last, from + length)
  const isSame = end.contentHash === hashFrom(payload, from, tools)
  const ends = isSame
    ? rangeOf(piecesOf(tools.tape.path, payload), from, payload.lenBytes)
    : piecesOf(tools.out, end)
  const stream = tools.recorder.payloadStream()
  const fromTape = tools.received({ type: 'tape', effect: 0 })
  for (const part of [before(), ends]) for (const piece of part) stream.add(fromTape.bytes(piece))
  return { stored: stream.end(), from, divergence: isSame ? null : divergenceOf(recorded, end, tools) }
}

/** What was passed at once, scrubbed as the recording scrubbed it. */
function collectorOf(
  { path, payload, from }: RecordedAppend,
  sent: Sent,
  appended: AppendedContent,
  tools: Tools,
): ContentCollector {
  const piece = sent(NOTHING, 0)
  const isLarge = piece.byteLength > LARGE_BYTES || payloadLength(payload) - from > LARGE_BYTES
  const bytes = isLarge ? piece : appended.matchingEnd(path, recordedEnd(payload, from, tools), from, piece)
  const collector = new ContentCollector(tools, true)
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES)
    collector.add(bytes.subarray(at, at + PIECE_BYTES))
  return collector
}

const PIECE_BYTES = 1024 * 1024

function divergenceOf({ payload, from, seq, what }: RecordedAppend, end: Payload, tools: Tools): Divergence {
  const isLarge = payloadLength(end) > LARGE_BYTES || payloadLength(payload) - from > LARGE_BYTES
  const actual = isLarge ? null : Buffer.concat([...piecesOf(tools.out, end)])
  const difference =
    actual === null ? null : sentDivergence(seq, recordedEnd(payload, from, tools), actual, what)
  return difference ?? hashDivergence(seq, what, payload, end)
}

function recordedEnd(payload: Payload, from: number, tools: Tools): Uint8Array {
  const end = rangeOf(piecesOf(tools.tape?.path ?? null, payload), from, payloadLength(payload))
  return Buffer.concat([...end])
}

function hashFrom(payload: Payload, from: number, tools: Tools): string {
  const hash = createBlake3()
  const end = rangeOf(piecesOf(tools.tape?.path ?? null, payload), from, payloadLength(payload))
  for (const piece of end) hash.update(piece)
  return hash.digest()
}

function piecesOf(tape: string | null, payload: Payload): Iterable<Uint8Array> {
  if (payload.form === 'inline') return [utf8(payload.text)]
  if (tape === null) throw new Error('there is no tape to read from')
  return casPieces(tape, payload)
}

/** Of all pieces what lies between the two offsets. All are read, so that the whole content is checked. */
function* rangeOf(pieces: Iterable<Uint8Array>, start: number, end: number): Generator<Uint8Array> {
  let at = 0
  for (const piece of pieces) {
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, end - at))
    at += piece.byteLength
    if (part.byteLength > 0) yield part
  }
}
