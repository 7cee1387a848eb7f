/** A body that is stored decoded, with the content encoding that the server used. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Kind } from '../../tape/index.ts'

/** The end of a stream, as the server sent it: a body that is stored decoded is encoded. */
export function encodedAgain(part: Kind<'stream_end'>, tail: Uint8Array): Uint8Array {
  return part.decoded === undefined ? tail : encode(tail, part.decoded)
}

function encode(bytes: Uint8Array, encoding: string): Uint8Array {
  // The last one was applied last.
  return encoding.split('-').reduce((plain: Uint8Array, name) => {
    switch (name) {
      case 'gzip':
        return gzipSync(plain)
      case 'deflate':
        return deflateSync(plain)
      case 'br':
        return brotliCompressSync(plain)
      default:
        return plain
    }
  }, bytes)
}
