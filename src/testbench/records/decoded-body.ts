import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** More of an answer than this is left to the wire. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/**
 * What the bytes of an answer are without its content encoding; nothing where they are cut or are not what
 * they say.
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
