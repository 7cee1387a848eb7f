/**
 * Frames of the WebSocket protocol (RFC 6455) from bytes in pieces of any size, and back. Masks are removed.
 * The reader stops at bytes that it cannot read, and its owner passes them on unchanged.
 */

export type Frame = {
  readonly isFinal: boolean
  readonly isCompressed: boolean
  readonly opcode: number
  readonly payload: Buffer
  /** Its number of bytes on the wire. */
  readonly size: number
}

const FINAL = 0x80
const COMPRESSED = 0x40
const RESERVED = 0x30
const MASKED = 0x80
/** No payload that a client of Node could hold is longer. */
const LONGEST = 2 ** 32

export class FrameReader {
  #held: Buffer = Buffer.alloc(0)
  #isBroken = false

  /** The frames that are complete now. */
  push(bytes: Uint8Array): readonly Frame[] {
    this.#held = this.#held.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes])
    const frames: Frame[] = []
    for (let frame = this.#next(); frame !== null; frame = this.#next()) frames.push(frame)
    return frames
  }

  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Bytes of an incomplete frame. Forgets them. */
  release(): Buffer {
    const held = this.#held
    this.#held = Buffer.alloc(0)
    return held
  }

  #next(): Frame | null {
    const held = this.#held
    const [first, second] = held
    if (this.#isBroken || first === undefined || second === undefined) return null
    const isMasked = (second & MASKED) !== 0
    const short = second & 0x7f
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
    const start = 2 + lengthBytes + (isMasked ? 4 : 0)
    if (held.length < start) return null
    const length = lengthOf(held, short)
    if ((first & RESERVED) !== 0 || length > LONGEST) {
      this.#isBroken = true
      return null
    }
    if (held.length < start + length) return null
    const payload = Buffer.from(held.subarray(start, start + length))
    if (isMasked) unmask(payload, held.subarray(start - 4, start))
    this.#held = held.subarray(start + length)
    return {
      isFinal: (first & FINAL) !== 0,
      isCompressed: (first & COMPRESSED) !== 0,
      opcode: first & 0x0f,
      payload,
      size: start + length,
    }
  }
}

/** A whole message of a server: one frame, neither masked nor compressed. */
export function serverFrame(opcode: number, payload: Uint8Array): Buffer {
  return Buffer.concat([frameHead(FINAL | opcode, payload.byteLength), payload])
}

/** A frame of a client, as it may send it: its mask is zero, so that its payload can be read. */
export function clientFrame({ isFinal, isCompressed, opcode, payload }: Frame): Buffer {
  const first = (isFinal ? FINAL : 0) | (isCompressed ? COMPRESSED : 0) | opcode
  const head = frameHead(first, payload.length)
  head[1] = (head[1] ?? 0) | MASKED
  return Buffer.concat([head, Buffer.alloc(4), payload])
}

function frameHead(first: number, length: number): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = first
  if (length < 126) head[1] = length
  else if (length < 65_536) {
    head[1] = 126
    head.writeUInt16BE(length, 2)
  } else {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return head
}

function lengthOf(held: Buffer, short: number): number {
  if (short === 126) return held.readUInt16BE(2)
  return short === 127 ? Number(held.readBigUInt64BE(2)) : short
}

function unmask(payload: Buffer, mask: Buffer): void {
  for (let at = 0; at < payload.length; at += 1) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0)
}
