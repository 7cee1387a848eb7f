/**
 * The frames of one direction of an HTTP/2 connection: read from bytes that are split anywhere, and written.
 * A header block that spans several frames is one frame here.
 *
 * Padding and priorities are dropped. Bytes that cannot be read as frames are returned as bytes.
 */
import type { Http2Frame } from '../http2-frame.ts'
import { HpackReader, headerBlock } from './hpack.ts'

export const PREFACE: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

const TYPES = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const

const END_STREAM = 0x1
const ACK = 0x1
const END_HEADERS = 0x4
const PADDED = 0x8
const PRIORITY = 0x20

const HEAD = 9
/** The largest frame in HTTP/2 without a setting. */
const FRAME_SIZE = 16_384
const LARGEST_FRAME = 16_777_215
const STREAM_MASK = 0x7fff_ffff

/**
 * `wireBytes`: the bytes of the frame; `padding`: how many of them the receiver must return to the window.
 */
export type ReadFrame = {
  readonly frame: Http2Frame | null
  readonly wireBytes: number
  readonly padding: number
}

/** The first bytes of an HTTP/2 server: a frame `SETTINGS` of stream 0. */
export function startsLikeSettings(bytes: Uint8Array): boolean {
  if (bytes.length < HEAD || bytes[0] !== 0 || bytes[3] !== TYPES.settings) return false
  const length = lengthOf(bytes)
  return length % 6 === 0 && length <= 600 && bytes.subarray(4, HEAD).every((byte) => byte === 0)
}

export class FrameReader {
  readonly #headers = new HpackReader()
  readonly #largest: () => number
  #pending: Buffer = Buffer.alloc(0)
  #preface: number
  /** An unfinished header block, with the frame that began it. */
  #block: { readonly head: FrameHead; readonly parts: Buffer[]; wireBytes: number } | null = null
  #isBroken = false

  /** `largest`: the largest frame that the receiver accepts. */
  constructor(fromClient: boolean, largest: () => number = () => LARGEST_FRAME) {
    this.#preface = fromClient ? PREFACE.length : 0
    this.#largest = largest
  }

  /** The following bytes cannot be read as frames: `release` returns them. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Whether the last byte was the end of a frame. */
  get isAtBoundary(): boolean {
    return this.#pending.length === 0 && this.#preface === 0 && this.#block === null
  }

  push(bytes: Uint8Array): readonly ReadFrame[] {
    this.#pending = this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes])
    if (!this.#passPreface()) return []
    const frames: ReadFrame[] = []
    while (!this.#isBroken && this.#pending.length >= HEAD) {
      const head = headOf(this.#pending)
      if (head.length > this.#largest()) this.#isBroken = true
      if (this.#isBroken || this.#pending.length < HEAD + head.length) break
      const payload = this.#pending.subarray(HEAD, HEAD + head.length)
      const read = this.#read(head, payload)
      if (read === null) this.#isBroken = true
      else {
        this.#pending = this.#pending.subarray(HEAD + head.length)
        if (read !== 'more') frames.push(read)
      }
    }
    return frames
  }

  /** The remaining bytes. For a header block that cannot be read: a block that no reader can decode. */
  release(): Uint8Array {
    const rest = this.#block === null ? this.#pending : unreadableBlock(this.#block.head)
    this.#pending = Buffer.alloc(0)
    this.#block = null
    return rest
  }

  #passPreface(): boolean {
    if (this.#preface === 0) return true
    if (this.#pending.length < this.#preface) return false
    if (!this.#pending.subarray(0, this.#preface).equals(PREFACE)) this.#isBroken = true
    else this.#pending = this.#pending.subarray(this.#preface)
    this.#preface = 0
    return true
  }

  #read(head: FrameHead, payload: Buffer): ReadFrame | 'more' | null {
    if (this.#block !== null) {
      if (head.type !== TYPES.continuation) return null
      return this.#continue(head, payload)
    }
    if (head.type === TYPES.headers || head.type === TYPES.push) return this.#begin(head, payload)
    const read = frameOf(head, payload)
    return read === null ? null : { ...read, wireBytes: HEAD + head.length }
  }

  #begin(head: FrameHead, payload: Buffer): ReadFrame | 'more' | null {
    const content = withoutPadding(head, payload)
    if (content === null) return null
    const skipped = head.type === TYPES.headers && head.flags & PRIORITY ? 5 : 0
    this.#block = { head, parts: [content.subarray(skipped)], wireBytes: HEAD + head.length }
    return head.flags & END_HEADERS ? this.#finish() : 'more'
  }

  #continue(head: FrameHead, payload: Buffer): ReadFrame | 'more' | null {
    this.#block?.parts.push(Buffer.from(payload))
    if (this.#block !== null) this.#block.wireBytes += HEAD + head.length
    return head.flags & END_HEADERS ? this.#finish() : 'more'
  }

  #finish(): ReadFrame | null {
    if (this.#block === null) return null
    const { head, parts, wireBytes } = this.#block
    const content = Buffer.concat(parts)
    const isPush = head.type === TYPES.push
    const block = this.#headers.read(isPush ? content.subarray(4) : content)
    if (block === null) return null
    this.#block = null
    const { stream, flags } = head
    const frame: Http2Frame = isPush
      ? { frame: 'push', stream, promised: content.readUInt32BE(0) & STREAM_MASK, ...block }
      : { frame: 'headers', stream, ...block, ends: (flags & END_STREAM) !== 0 }
    return { frame, wireBytes, padding: 0 }
  }
}

/** The bytes of a frame. A header block, or data, may need several frames. */
export function frameBytes(frame: Http2Frame): Buffer {
  switch (frame.frame) {
    case 'headers':
      return blockBytes(TYPES.headers, frame.ends ? END_STREAM : 0, frame.stream, headerBlock(frame))
    case 'push':
      return blockBytes(
        TYPES.push,
        0,
        frame.stream,
        Buffer.concat([uint32(frame.promised), headerBlock(frame)]),
      )
    case 'data':
      return dataBytes(frame.stream, Buffer.from(frame.bytes), frame.ends)
    case 'reset':
      return wire(TYPES.reset, 0, frame.stream, uint32(frame.code))
    case 'settings':
      return wire(TYPES.settings, frame.ack ? ACK : 0, 0, settingsBytes(frame.settings))
    case 'ping':
      return wire(TYPES.ping, frame.ack ? ACK : 0, 0, Buffer.from(frame.bytes))
    case 'goaway':
      return wire(
        TYPES.goaway,
        0,
        0,
        Buffer.concat([uint32(frame.last), uint32(frame.code), Buffer.from(frame.bytes)]),
      )
    case 'window':
      return wire(TYPES.window, 0, frame.stream, uint32(frame.increment))
    case 'other':
      return wire(frame.type, 0, frame.stream, Buffer.from(frame.bytes))
  }
}

type FrameHead = {
  readonly length: number
  readonly type: number
  readonly flags: number
  readonly stream: number
}

function lengthOf(bytes: Uint8Array): number {
  return ((bytes[0] ?? 0) << 16) | ((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0)
}

function headOf(bytes: Buffer): FrameHead {
  return {
    length: lengthOf(bytes),
    type: bytes[3] ?? 0,
    flags: bytes[4] ?? 0,
    stream: bytes.readUInt32BE(5) & STREAM_MASK,
  }
}

/** Null if it is malformed. For a frame that is not reported, the inner value is null. */
function frameOf(head: FrameHead, payload: Buffer): Omit<ReadFrame, 'wireBytes'> | null {
  const { type, flags, stream } = head
  const plain = (frame: Http2Frame | null): Omit<ReadFrame, 'wireBytes'> => ({ frame, padding: 0 })
  switch (type) {
    case TYPES.data: {
      const content = withoutPadding(head, payload)
      if (content === null) return null
      const ends = (flags & END_STREAM) !== 0
      const frame = { frame: 'data', stream, bytes: Buffer.from(content), ends } as const
      return { frame, padding: payload.length - content.length }
    }
    case TYPES.priority:
      return plain(null)
    case TYPES.reset:
      return payload.length === 4 ? plain({ frame: 'reset', stream, code: payload.readUInt32BE(0) }) : null
    case TYPES.settings: {
      if (payload.length % 6 !== 0) return null
      return plain({ frame: 'settings', settings: settingsOf(payload), ack: (flags & ACK) !== 0 })
    }
    case TYPES.ping:
      return payload.length === 8
        ? plain({ frame: 'ping', bytes: Buffer.from(payload), ack: (flags & ACK) !== 0 })
        : null
    case TYPES.goaway: {
      if (payload.length < 8) return null
      const last = payload.readUInt32BE(0) & STREAM_MASK
      return plain({
        frame: 'goaway',
        last,
        code: payload.readUInt32BE(4),
        bytes: Buffer.from(payload.subarray(8)),
      })
    }
    case TYPES.window:
      return payload.length === 4
        ? plain({ frame: 'window', stream, increment: payload.readUInt32BE(0) & STREAM_MASK })
        : null
    case TYPES.continuation:
      return null
    default:
      return plain({ frame: 'other', type, stream, bytes: Buffer.from(payload) })
  }
}

function withoutPadding({ flags }: FrameHead, payload: Buffer): Buffer | null {
  if (!(flags & PADDED)) return payload
  const padding = payload[0] ?? 0
  return 1 + padding > payload.length ? null : payload.subarray(1, payload.length - padding)
}

function settingsOf(payload: Buffer): (readonly [number, number])[] {
  const settings: (readonly [number, number])[] = []
  for (let at = 0; at + 6 <= payload.length; at += 6)
    settings.push([payload.readUInt16BE(at), payload.readUInt32BE(at + 2)])
  return settings
}

function settingsBytes(settings: readonly (readonly [number, number])[]): Buffer {
  const bytes = Buffer.alloc(6 * settings.length)
  settings.forEach(([id, value], at) => {
    bytes.writeUInt16BE(id & 0xffff, 6 * at)
    bytes.writeUInt32BE(value >>> 0, 6 * at + 2)
  })
  return bytes
}

function wire(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type & 0xff, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream & STREAM_MASK, 5)
  return Buffer.concat([head, payload])
}

/** `CONTINUATION` frames follow if the block is too large for one. */
function blockBytes(type: number, flags: number, stream: number, block: Buffer): Buffer {
  const parts = pieces(block)
  return Buffer.concat(
    parts.map((part, at) => {
      const end = at === parts.length - 1 ? END_HEADERS : 0
      return at === 0 ? wire(type, flags | end, stream, part) : wire(TYPES.continuation, end, stream, part)
    }),
  )
}

function dataBytes(stream: number, bytes: Buffer, ends: boolean): Buffer {
  const parts = pieces(bytes)
  return Buffer.concat(
    parts.map((part, at) => wire(TYPES.data, ends && at === parts.length - 1 ? END_STREAM : 0, stream, part)),
  )
}

function pieces(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [bytes.subarray(0, FRAME_SIZE)]
  for (let at = FRAME_SIZE; at < bytes.length; at += FRAME_SIZE)
    parts.push(bytes.subarray(at, at + FRAME_SIZE))
  return parts
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

/**
 * Index 0 is an error for every reader. The real block is compressed, and a secret in it could not be found.
 */
function unreadableBlock({ stream }: FrameHead): Buffer {
  return wire(TYPES.headers, END_HEADERS, stream, Buffer.of(0x80))
}
