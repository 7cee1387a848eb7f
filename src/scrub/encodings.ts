/**
 * Content encodings: gzip, deflate, br, and zstd if this Node has it. Whole bodies only, and at most
 * `MOST_DECODED` bytes of output per body, so that a small body that decodes to gigabytes does not fill the
 * memory.
 */
import zlib from 'node:zlib'
import { systemCode } from '../errors/index.ts'

export const MOST_DECODED = 256 * 1024 * 1024

export type Decoded =
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'too-large' }

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number; finishFlush?: number }) => Uint8Array

const NONE: readonly string[] = []

/**
 * The encodings of a `content-encoding` header, in the order in which they were applied; `identity` is
 * dropped.
 */
export function encodingsOf(header: string | undefined): readonly string[] {
  if (header === undefined || header === '') return NONE
  return header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
}

/** Decodes a body. A body that was cut off returns the part that can be decoded. */
export function decode(bytes: Uint8Array, encodings: readonly string[], mostBytes = MOST_DECODED): Decoded {
  let current = bytes
  for (const encoding of [...encodings].reverse()) {
    const decoders = decodersOf(encoding)
    const next = firstThatWorks(decoders, current, mostBytes)
    if (next.kind !== 'decoded') return next
    current = next.bytes
  }
  return { kind: 'decoded', bytes: current }
}

function decodersOf(encoding: string): readonly Decode[] {
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants
  const whole =
    (decoder: Decode, finishFlush: number): Decode =>
    (bytes, options) =>
      decoder(bytes, { ...options, finishFlush })
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return [whole(zlib.gunzipSync, Z_SYNC_FLUSH)]
    case 'deflate':
      // With the zlib frame, as the standard requires, or without it, as some servers send it.
      return [whole(zlib.inflateSync, Z_SYNC_FLUSH), whole(zlib.inflateRawSync, Z_SYNC_FLUSH)]
    case 'br':
      return [whole(zlib.brotliDecompressSync, BROTLI_OPERATION_FLUSH)]
    case 'zstd': {
      const decoder = (zlib as { readonly zstdDecompressSync?: Decode }).zstdDecompressSync
      return decoder === undefined ? [] : [decoder]
    }
    default:
      return []
  }
}

function firstThatWorks(decoders: readonly Decode[], bytes: Uint8Array, mostBytes: number): Decoded {
  for (const decoder of decoders) {
    try {
      return { kind: 'decoded', bytes: decoder(bytes, { maxOutputLength: mostBytes }) }
    } catch (error) {
      // Any other failure means that the body does not have this encoding: try the next decoder.
      if (error instanceof RangeError || systemCode(error) === 'ERR_BUFFER_TOO_LARGE')
        return { kind: 'too-large' }
    }
  }
  return { kind: 'unknown' }
}
