/**
 * Corrects the `content-length` of a body in which a secret was replaced, because its length has changed.
 * Clients that read the wire themselves would wait for the rest, or read it as the next response. So the head
 * has the length that the replay delivers.
 */
import type { Chunk, HeaderPairs, Kind } from '../../tape/index.ts'
import { encodedAgain } from '../session/encoded-again.ts'

type Part = Kind<'stream_chunk' | 'stream_end'>

/** `parts` are those of the body, to its end. */
export function withLengthOf(
  headers: HeaderPairs,
  resolve: (chunk: Chunk) => Uint8Array,
  parts: Iterable<Part>,
): HeaderPairs {
  const at = headers.findIndex(([name]) => name.toLowerCase() === 'content-length')
  const declared = headers[at]
  if (declared === undefined) return headers
  const length = lengthOf(resolve, parts, Number(declared[1]))
  return length === null ? headers : headers.with(at, [declared[0], String(length)])
}

function lengthOf(
  resolve: (chunk: Chunk) => Uint8Array,
  parts: Iterable<Part>,
  declared: number,
): number | null {
  let length = 0
  for (const part of parts) {
    if (part.kind === 'stream_chunk') length += resolve(part.data).byteLength
    else {
      if (part.tail !== undefined) length += encodedAgain(part, resolve(part.tail)).byteLength
      // A body that was cut off stays so.
      return part.error === null ? length : Math.max(declared, length + 1)
    }
  }
  return null
}

/** The head as on the tape, with the length that was recorded. */
export function withRecordedLength(headers: HeaderPairs, length: string | undefined): HeaderPairs {
  if (length === undefined) return headers
  return headers.map(
    ([name, value]) => [name, name.toLowerCase() === 'content-length' ? length : value] as const,
  )
}
