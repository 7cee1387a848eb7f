/** A message of a WebSocket as its record stores it: for a `close` the code separate from the reason. */
import type { Label } from '../../base/index.ts'
import type { Scrubbed, ScrubbedBytes } from '../../scrub/index.ts'
import type { Kind, TapeRecorder } from '../../tape/index.ts'

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

/** Its record. Written out: to spread an object costs more than to write the record. */
export function messageKind(
  of: number,
  n: number,
  direction: 'in' | 'out',
  message: Label,
  stored: StoredMessage,
  recorder: TapeRecorder,
): Scrubbed<Kind<'ws_message'>> {
  const data = recorder.chunkFromBytes(stored.data)
  const { code } = stored
  return code === undefined
    ? { kind: 'ws_message', of, n, direction, message, data }
    : { kind: 'ws_message', of, n, direction, message, data, code }
}
