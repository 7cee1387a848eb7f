import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** A larger response is not parsed. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/**
 * The bytes of a response without its content encoding; nothing if they are cut off or do not have their
 * declared encoding.
 */
export function decodedBody(bytes: Uint8Array, encoding: string): Uint8Array {
  try {
    return encoding
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .reduceRight((wrapped: Uint8Array, name) => unwrap(wrapped, name), bytes)
  } catch {
    // Cut off, or not in its declared encoding: the raw bytes are stored, the record has what is known
    // without them.
    return new Uint8Array(0)
  }
}

function unwrap(bytes: Uint8Array, encoding: string): Uint8Array {
  const limit = { maxOutputLength: MAX_ANSWER_BYTES }
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, limit)
    case 'deflate':
      return inflateSync(bytes, limit)
    case 'br':
      return brotliDecompressSync(bytes, limit)
    default:
      return bytes
  }
}
