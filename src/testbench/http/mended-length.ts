/**
 * A body in which a secret was replaced is longer or shorter than its `content-length` says. Clients that
 * read the wire themselves would wait for the rest, or take it for the next answer: so the head says the
 * length of what the replay will give.
 */
import type { Chunk, HeaderPairs, Kind } from '../../tape/index.ts'
import type { Recorded } from '../session/delivery.ts'
import { encodedAgain } from '../session/stream-code.ts'

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
      // A body that was cut stays cut.
      return part.error === null ? length : Math.max(declared, length + 1)
    }
  }
  return null
}

/** The head as the tape has it, with the length that was recorded. */
export function withRecordedLength(headers: HeaderPairs, recorded: Recorded | undefined): HeaderPairs {
  const length = recorded?.contentLength
  if (length === undefined) return headers
  return headers.map(
    ([name, value]) => [name, name.toLowerCase() === 'content-length' ? length : value] as const,
  )
}
