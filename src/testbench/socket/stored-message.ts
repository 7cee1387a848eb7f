/** A message of a WebSocket as its record stores it: for a `close` the code separate from the reason. */
import type { ScrubbedBytes } from '../../scrub/index.ts'

export type StoredMessage<T = ScrubbedBytes> = { readonly data: T; readonly code?: number | undefined }

export function storedMessage(
  message: string,
  bytes: Uint8Array,
  scrubbed: (part: Uint8Array) => ScrubbedBytes,
): StoredMessage {
  if (message !== 'close' || bytes.byteLength < 2) return { data: scrubbed(bytes) }
  const code = Buffer.from(bytes.buffer, bytes.byteOffset, 2).readUInt16BE(0)
  return { data: scrubbed(bytes.subarray(2)), code }
}

/** The bytes of the message. */
export function messageOf({ data, code }: StoredMessage<Uint8Array>): Uint8Array {
  if (code === undefined) return data
  const head = Buffer.alloc(2)
  head.writeUInt16BE(code & 0xffff)
  return Buffer.concat([head, data])
}
