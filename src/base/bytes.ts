/** Bytes stay bytes. They become text only where a codec declares text, and never by a lossy decoding. */
import { isAscii as bufferIsAscii, isUtf8 as bufferIsUtf8 } from 'node:buffer'

const encoder = new TextEncoder()
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Text of one byte each: decoding it as latin1 copies it, and checks nothing. */
export function isAscii(bytes: Uint8Array): boolean {
  return bufferIsAscii(bytes)
}

export function isUtf8(bytes: Uint8Array): boolean {
  return bufferIsUtf8(bytes)
}

/**
 * The text that these bytes are, or null where they are not UTF-8. A byte order mark is kept: it is a byte of
 * the input.
 */
export function textOrNull(bytes: Uint8Array): string | null {
  if (bytes.byteLength >= LONG && bufferIsAscii(bytes))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return bufferIsUtf8(bytes) ? strictDecoder.decode(bytes) : null
}

/** From this length on copying ASCII is several times faster than decoding it. */
const LONG = 1024

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0]
  return Buffer.concat(parts)
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && Buffer.compare(a, b) === 0
}

/** True if both have the same first bytes, so many. */
export function beginAlike(a: Uint8Array, b: Uint8Array, length: number): boolean {
  return (
    a.byteLength >= length &&
    b.byteLength >= length &&
    Buffer.compare(a.subarray(0, length), b.subarray(0, length)) === 0
  )
}

/** Gives the offset in the UTF-8 of `text` for an offset in it. Call it with offsets in order. */
export function byteOffsets(text: string, byteLength: number): (at: number) => number {
  if (text.length === byteLength) return (at) => at
  let [done, bytes] = [0, 0]
  return (at) => {
    bytes += Buffer.byteLength(text.slice(done, at))
    done = at
    return bytes
  }
}
