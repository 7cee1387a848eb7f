/**
 * The streams of one recorded effect, as the program received them: pieces of bytes and ends, each with the
 * record that delivered it. Edits change the pieces; `replacements` gives the records that deliver them.
 */
import { equalBytes, type Json, type Label, label } from '../../base/index.ts'
import type { Kind, TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { StreamDecoder, type StreamPart } from '../session/stream-code.ts'

export type Piece = {
  /** The record that delivers it. */
  readonly record: TapeRecord
  readonly stream: string
  readonly together: boolean
  readonly what:
    | { readonly type: 'chunk'; readonly bytes: Uint8Array }
    | { readonly type: 'end'; readonly error: Json; readonly trailers: Kind<'stream_end'>['trailers'] }
}

/** `records` are all of one effect, in the order of the tape. */
export function piecesOf(records: readonly TapeRecord[], payloads: TapePayloads): readonly Piece[] {
  const parts = records.filter(isPart)
  const decoders = new Map<string, StreamDecoder>()
  let turn = 0
  return parts.flatMap((record, at): Piece[] => {
    const { kind } = record
    const stream = kind.stream ?? ''
    const decoder =
      decoders.get(stream) ??
      new StreamDecoder(payloads, function* () {
        for (const later of parts.slice(turn + 1)) if ((later.kind.stream ?? '') === stream) yield later.kind
      })
    decoders.set(stream, decoder)
    turn = at
    if (kind.kind === 'stream_end' && kind.closedBy !== undefined) return []
    return decoder.decode(record, kind).flatMap(({ outcome, together = false }): Piece[] => {
      if (outcome.type === 'chunk')
        return [{ record, stream, together, what: { type: 'chunk', bytes: outcome.bytes } }]
      const { error = null, trailers = undefined } = kind.kind === 'stream_end' ? kind : {}
      return [{ record, stream, together, what: { type: 'end', error, trailers } }]
    })
  })
}

/** What delivers the edited pieces. Every record of a stream that was edited has an entry. */
export function replacements(
  of: number,
  records: readonly TapeRecord[],
  before: readonly Piece[],
  after: readonly Piece[],
): Map<number, readonly TapeRecord[]> {
  const changed = new Set<string>()
  for (const stream of new Set([...before, ...after].map((piece) => piece.stream)))
    if (!isSame(before.filter(isOf(stream)), after.filter(isOf(stream)))) changed.add(stream)
  const replaced = new Map<number, TapeRecord[]>()
  for (const record of records)
    if (isPart(record) && changed.has(record.kind.stream ?? '')) replaced.set(record.seq, [])
  const counts = new Map<string, number>()
  for (const piece of after) {
    const n = counts.get(piece.stream) ?? 0
    if (piece.what.type === 'chunk') counts.set(piece.stream, n + 1)
    if (!changed.has(piece.stream)) continue
    const made = { ...piece.record, kind: kindOf(of, piece, n) }
    replaced.set(piece.record.seq, [...(replaced.get(piece.record.seq) ?? []), made])
  }
  return replaced
}

export function bytesOf(pieces: readonly Piece[], stream: string): Uint8Array {
  return Buffer.concat(
    pieces.filter(isOf(stream)).flatMap(({ what }) => (what.type === 'chunk' ? [what.bytes] : [])),
  )
}

/** The stream with these bytes, in one piece: where its first one is, or at its end. */
export function withBytes(pieces: readonly Piece[], stream: string, bytes: Uint8Array): readonly Piece[] {
  let isGiven = false
  return pieces.flatMap((piece): Piece[] => {
    if (piece.stream !== stream) return [piece]
    const { what } = piece
    if (what.type === 'chunk') {
      if (isGiven) return []
      isGiven = true
      return [{ ...piece, what: { type: 'chunk', bytes } }]
    }
    if (isGiven || bytes.byteLength === 0) return [piece]
    isGiven = true
    return [
      { ...piece, together: false, what: { type: 'chunk', bytes } },
      { ...piece, together: true },
    ]
  })
}

/**
 * The stream up to this many of its bytes. `end` is what it ends with there; null for the end that it has.
 */
export function cutAfter(
  pieces: readonly Piece[],
  stream: string,
  most: number,
  end: Json | null,
): readonly Piece[] {
  let left = most
  let isCut = false
  return pieces.flatMap((piece): Piece[] => {
    const { what } = piece
    if (piece.stream !== stream) return [piece]
    if (isCut) return end === null && what.type === 'end' ? [piece] : []
    if (what.type === 'end') return [piece]
    if (what.bytes.byteLength <= left) {
      left -= what.bytes.byteLength
      return [piece]
    }
    isCut = true
    const kept: Piece[] =
      left === 0 ? [] : [{ ...piece, what: { type: 'chunk', bytes: what.bytes.subarray(0, left) } }]
    return end === null ? kept : [...kept, { ...piece, together: false, what: failed(end) }]
  })
}

/**
 * From this record on the stream has nothing but the error. It comes in a turn of its own, as from a real
 * connection.
 */
export function failAt(pieces: readonly Piece[], seq: number, stream: string, error: Json): readonly Piece[] {
  const at = pieces.findIndex(({ record }) => record.seq >= seq)
  const failing = pieces[at]
  if (failing === undefined) return pieces
  return [
    ...pieces.slice(0, at),
    { ...failing, stream, together: false, what: failed(error) },
    ...pieces.slice(at).filter((piece) => piece.stream !== stream),
  ]
}

function failed(error: Json): Extract<Piece['what'], { readonly type: 'end' }> {
  return { type: 'end', error, trailers: undefined }
}

function kindOf(of: number, { stream, together, what }: Piece, n: number): StreamPart {
  const named: { stream?: Label; turn?: Label } = {
    ...(stream === '' ? {} : { stream: label(stream) }),
    ...(together ? { turn: SAME } : {}),
  }
  if (what.type === 'chunk')
    return {
      kind: 'stream_chunk',
      of,
      n,
      direction: 'in',
      data: { form: 'base64', bytes: what.bytes },
      ...named,
    }
  const { error, trailers } = what
  return { kind: 'stream_end', of, error, ...(trailers === undefined ? {} : { trailers }), ...named }
}

const SAME = label('same')

function isSame(before: readonly Piece[], after: readonly Piece[]): boolean {
  return (
    before.length === after.length &&
    before.every((piece, at) => {
      const other = after[at]
      if (other === undefined || other.record !== piece.record) return false
      if (piece.what.type === 'end' || other.what.type === 'end') return piece.what === other.what
      return equalBytes(piece.what.bytes, other.what.bytes)
    })
  )
}

function isOf(stream: string): (piece: Piece) => boolean {
  return (piece) => piece.stream === stream
}

/** A part of a stream that the program received. */
function isPart(record: TapeRecord): record is TapeRecord & { readonly kind: StreamPart } {
  const { kind } = record
  return kind.kind === 'stream_end' || (kind.kind === 'stream_chunk' && kind.direction === 'in')
}
