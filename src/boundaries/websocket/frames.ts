/**
 * Frames of the WebSocket protocol (RFC 6455) from bytes in pieces of any size, and back. Masks are removed.
 * The reader stops before a frame that the protocol forbids, and its owner passes the bytes on unchanged, so that
 * the other side fails as it does without a recorder.
 */

type FrameHead = {
  readonly isFinal: boolean
  readonly isCompressed: boolean
  readonly opcode: number
}

export type Frame = FrameHead & {
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
const LONGEST_HEAD = 14
const FIRST_CONTROL = 8
const LONGEST_CONTROL = 125
/** Continuation, text, binary; close, ping, pong. */
const KNOWN = new Set([0, 1, 2, 8, 9, 10])

export class FrameReader {
  readonly #isMasked: boolean
  #pieces: Buffer[] = []
  #size = 0
  #isBroken = false

  /** A client masks its frames, and a server must not. */
  constructor(sender: 'client' | 'server') {
    this.#isMasked = sender === 'client'
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#pieces.push(bytes)
    this.#size += bytes.length
  }

  /** The next frame that is complete. A frame that is not accepted is not read, and breaks the reader. */
  next(accepts: (head: FrameHead) => boolean = () => true): Frame | null {
    const head = this.#head()
    // By index: taking a typed array apart goes through its iterator, which costs as much as all the rest here.
    const first = head[0]
    const second = head[1]
    if (this.#isBroken || first === undefined || second === undefined) return null
    const isMasked = (second & MASKED) !== 0
    const short = second & 0x7f
    const start = 2 + lengthBytes(short) + (isMasked ? 4 : 0)
    if (head.length < start) return null
    const length = lengthOf(head, short)
    const facts = {
      isFinal: (first & FINAL) !== 0,
      isCompressed: (first & COMPRESSED) !== 0,
      opcode: first & 0x0f,
    }
    const isAllowed = (first & RESERVED) === 0 && isMasked === this.#isMasked && length <= LONGEST
    if (!isAllowed || !isFrame(facts, length) || !accepts(facts)) {
      this.#isBroken = true
      return null
    }
    if (this.#size < start + length) return null
    const bytes = this.#take(start + length)
    const payload = bytes.subarray(start)
    return {
      isFinal: facts.isFinal,
      isCompressed: facts.isCompressed,
      opcode: facts.opcode,
      payload: isMasked ? unmasked(payload, bytes, start - 4) : payload,
      size: start + length,
    }
  }

  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Bytes that are not read. Forgets them. */
  release(): Buffer {
    return this.#take(this.#size)
  }

  /** The first bytes, as many as a head may have. */
  #head(): Buffer {
    for (;;) {
      const first = this.#pieces[0] ?? NOTHING
      const second = this.#pieces[1]
      if (first.length >= LONGEST_HEAD || second === undefined) return first
      this.#pieces.splice(0, 2, Buffer.concat([first, second]))
    }
  }

  #take(length: number): Buffer {
    this.#size -= length
    const first = this.#pieces[0] ?? NOTHING
    if (first.length === length && this.#pieces.length === 1) {
      this.#pieces = []
      return first
    }
    const all = first.length >= length ? first : Buffer.concat(this.#pieces)
    const rest = all.subarray(length)
    if (all === first) this.#pieces.shift()
    else this.#pieces = []
    if (rest.length > 0) this.#pieces.unshift(rest)
    return all.subarray(0, length)
  }
}

const NOTHING: Buffer = Buffer.alloc(0)

function isFrame({ isFinal, isCompressed, opcode }: FrameHead, length: number): boolean {
  if (opcode < FIRST_CONTROL) return KNOWN.has(opcode)
  return KNOWN.has(opcode) && isFinal && !isCompressed && length <= LONGEST_CONTROL
}

/** A whole message of a server: one frame, neither masked nor compressed. */
export function serverFrame(opcode: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headLength(payload.byteLength) + payload.byteLength)
  frame.set(payload, writeHead(frame, FINAL | opcode, payload.byteLength))
  return frame
}

/** The frame as a server sends it. */
export function sameFrame(frame: Frame): Buffer {
  return Buffer.concat([frameHead(firstByte(frame), frame.payload.length), frame.payload])
}

/** A frame of a client, as it may send it: its mask is zero, so that its payload can be read. */
export function clientFrame(frame: Frame): Buffer {
  const head = frameHead(firstByte(frame), frame.payload.length)
  head[1] = (head[1] ?? 0) | MASKED
  return Buffer.concat([head, Buffer.alloc(4), frame.payload])
}

function firstByte({ isFinal, isCompressed, opcode }: FrameHead): number {
  return (isFinal ? FINAL : 0) | (isCompressed ? COMPRESSED : 0) | opcode
}

function frameHead(first: number, length: number): Buffer {
  const head = Buffer.alloc(headLength(length))
  writeHead(head, first, length)
  return head
}

function headLength(length: number): number {
  if (length < 126) return 2
  return length < 65_536 ? 4 : 10
}

/** Returns the number of bytes of the head. */
function writeHead(frame: Buffer, first: number, length: number): number {
  frame[0] = first
  if (length < 126) {
    frame[1] = length
    return 2
  }
  if (length < 65_536) {
    frame[1] = 126
    frame[2] = length >> 8
    frame[3] = length & 0xff
    return 4
  }
  frame[1] = 127
  frame.writeBigUInt64BE(BigInt(length), 2)
  return 10
}

function lengthBytes(short: number): number {
  if (short === 126) return 2
  return short === 127 ? 8 : 0
}

function lengthOf(held: Buffer, short: number): number {
  if (short === 126) return ((held[2] ?? 0) << 8) | (held[3] ?? 0)
  return short === 127 ? Number(held.readBigUInt64BE(2)) : short
}

/** `mask`: where its four bytes begin in the frame. */
function unmasked(payload: Buffer, frame: Buffer, mask: number): Buffer {
  const { length } = payload
  const plain = Buffer.allocUnsafe(length)
  const a = frame[mask] ?? 0
  const b = frame[mask + 1] ?? 0
  const c = frame[mask + 2] ?? 0
  const d = frame[mask + 3] ?? 0
  let at = 0
  for (; at + 3 < length; at += 4) {
    plain[at] = (payload[at] ?? 0) ^ a
    plain[at + 1] = (payload[at + 1] ?? 0) ^ b
    plain[at + 2] = (payload[at + 2] ?? 0) ^ c
    plain[at + 3] = (payload[at + 3] ?? 0) ^ d
  }
  for (; at < length; at += 1) plain[at] = (payload[at] ?? 0) ^ (frame[mask + (at & 3)] ?? 0)
  return plain
}
