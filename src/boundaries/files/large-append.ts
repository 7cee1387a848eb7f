/**
 * A large file that something was appended to: its content in pieces, and where the appended part begins. It
 * is never held in memory as a whole.
 */
import type { Answer, Session } from '../session.ts'
import { LARGE_BYTES, piecesNow, sizeNow } from './file-access.ts'

export type LargeAppend = Required<
  Pick<Extract<Answer, { readonly type: 'file_write' }>, 'bytes' | 'from' | 'pieces'>
>

/** How far before its end a file is searched for a piece that other writers have appended to since. */
const SEARCHED_BYTES = 8 * 1024 * 1024
const NOTHING = new Uint8Array()

/** The size of a file that is too large to hold; else null. */
export function largeSize(session: Session, absolute: string): number | null {
  const size = sizeNow(session, absolute)
  return size === null || size <= LARGE_BYTES ? null : size
}

/** The content up to `end`, of which the program appended everything from `from` on. */
export function appendedFrom(session: Session, absolute: string, from: number, end: number): LargeAppend {
  return { bytes: NOTHING, from, pieces: () => piecesNow(session, absolute, 0, end) }
}

/** The content up to `from`, and then what the program appended. */
export function appendedAfter(
  session: Session,
  absolute: string,
  from: number,
  appended: Uint8Array,
): LargeAppend {
  const pieces = function* (): Generator<Uint8Array> {
    yield* piecesNow(session, absolute, 0, from)
    yield appended
  }
  return { bytes: NOTHING, from, pieces }
}

/** Whether the content of this size ends with these bytes. */
export function endsWith(session: Session, absolute: string, size: number, end: Uint8Array): boolean {
  if (end.byteLength > size) return false
  let at = 0
  for (const piece of piecesNow(session, absolute, size - end.byteLength, size)) {
    if (Buffer.compare(piece, end.subarray(at, at + piece.byteLength)) !== 0) return false
    at += piece.byteLength
  }
  return at === end.byteLength
}

/** Where the piece was appended; other pieces may follow it. Null if it is not there any more. */
export function placeOf(session: Session, absolute: string, size: number, piece: Uint8Array): number | null {
  if (endsWith(session, absolute, size, piece)) return size - piece.byteLength
  const start = Math.max(0, size - piece.byteLength - SEARCHED_BYTES)
  const found = Buffer.concat([...piecesNow(session, absolute, start, size)]).lastIndexOf(piece)
  return found < 0 ? null : start + found
}
