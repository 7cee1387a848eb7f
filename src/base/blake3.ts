/**
 * BLAKE3, the one hash of every format here: blake3.wat, made when the first hash is needed. It is
 * synchronous and needs no preparation.
 *
 * All streams share one instance. A stream keeps up to one chunk of input and its stack of subtree values, at
 * most 2 KB, and puts the stack back before it goes on.
 *
 * Decision 0260.
 */
import { WASM_BASE64 } from './blake3.wat.ts'
import { instantiate, type WasmMemory } from './web-assembly.ts'

declare const hashBrand: unique symbol
/** 64 lower-case hex digits. */
export type ContentHash = string & { readonly [hashBrand]: 'blake3' }

export type Blake3Stream = {
  update(bytes: Uint8Array): void
  /** More may follow, and it may be called again. */
  digest(): ContentHash
  /** Another stream that has had the same bytes. */
  copy(): Blake3Stream
}

const HEX_64 = /^[0-9a-f]{64}$/

export function isContentHash(text: string): text is ContentHash {
  return HEX_64.test(text)
}

const CHUNK_BYTES = 1024
const VALUE_BYTES = 32
/** Addresses in blake3.wat. */
const WINDOW_BYTES = 65536
const STACK_AT = 66560
const STACK_BYTES = 54 * VALUE_BYTES

type Exports = {
  readonly memory: WasmMemory
  absorb(chunks: number, counter: number): void
  finish(length: number, counter: number): void
}

type Engine = Pick<Exports, 'absorb' | 'finish'> & {
  readonly input: Buffer
  readonly stack: Buffer
  readonly value: Buffer
}

let made: Engine | undefined

function engine(): Engine {
  made ??= makeEngine()
  return made
}

function makeEngine(): Engine {
  const exports = instantiate<Exports>(WASM_BASE64)
  if (exports === null) {
    throw new Error(
      'this Node cannot run WebAssembly with SIMD, which BLAKE3 needs; start it without --jitless',
    )
  }
  const { memory, absorb, finish } = exports
  return {
    absorb,
    finish,
    input: Buffer.from(memory.buffer, 0, WINDOW_BYTES),
    stack: Buffer.from(memory.buffer, STACK_AT, STACK_BYTES),
    value: Buffer.from(memory.buffer, STACK_AT, VALUE_BYTES),
  }
}

export function contentHash(bytes: Uint8Array): ContentHash {
  const { input, finish, value } = engine()
  const chunks = bytes.byteLength <= CHUNK_BYTES ? 0 : absorbAllButLast(bytes, 0)
  const rest = chunks === 0 ? bytes : bytes.subarray(chunks * CHUNK_BYTES)
  input.set(rest)
  finish(rest.byteLength, chunks)
  return hexOf(value)
}

/** So many characters fit into the window as UTF-8, whatever they are, after an incomplete chunk. */
const WINDOW_CHARACTERS = Math.floor((WINDOW_BYTES - CHUNK_BYTES) / 3)

/** The hash of the text as UTF-8: `contentHash(utf8(text))` without the bytes in between. */
export function contentHashOfText(text: string): ContentHash {
  const { input, absorb, finish, value } = engine()
  if (text.length * 3 <= CHUNK_BYTES) {
    finish(encoder.encodeInto(text, input).written, 0)
    return hexOf(value)
  }
  let pending = 0
  let chunks = 0
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + WINDOW_CHARACTERS, text.length)
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
    pending += encoder.encodeInto(text.slice(at, end), input.subarray(pending)).written
    at = end
    // At least one byte stays: the last chunk is finished in another way.
    const whole = Math.floor((pending - 1) / CHUNK_BYTES)
    if (whole <= 0) continue
    absorb(whole, chunks)
    chunks += whole
    input.copyWithin(0, whole * CHUNK_BYTES, pending)
    pending -= whole * CHUNK_BYTES
  }
  finish(pending, chunks)
  return hexOf(value)
}

const encoder = new TextEncoder()

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

/**
 * Absorbs whole chunks from the start of these bytes, and keeps back at least one byte. Returns their number.
 */
function absorbAllButLast(bytes: Uint8Array, counter: number): number {
  const { input, absorb } = engine()
  const all = Math.ceil(bytes.byteLength / CHUNK_BYTES) - 1
  for (let done = 0; done < all; ) {
    const count = Math.min(all - done, WINDOW_BYTES / CHUNK_BYTES)
    input.set(bytes.subarray(done * CHUNK_BYTES, (done + count) * CHUNK_BYTES))
    absorb(count, counter + done)
    done += count
  }
  return all
}

function hexOf(value: Buffer): ContentHash {
  return value.toString('hex') as ContentHash
}

export function createBlake3(): Blake3Stream {
  return new Stream()
}

class Stream implements Blake3Stream {
  /** The last bytes, of at most one chunk: only when more comes is it known that they are not the end. */
  readonly #pending = Buffer.allocUnsafe(CHUNK_BYTES)
  #pendingBytes = 0
  /** Chunks absorbed. */
  #chunks = 0
  #stack = Buffer.alloc(0)

  update(bytes: Uint8Array): void {
    const space = CHUNK_BYTES - this.#pendingBytes
    if (bytes.byteLength <= space) {
      this.#keep(bytes)
      return
    }
    let rest = bytes
    this.#putStack()
    if (this.#pendingBytes > 0) {
      const { input, absorb } = engine()
      this.#keep(bytes.subarray(0, space))
      input.set(this.#pending)
      absorb(1, this.#chunks)
      this.#chunks += 1
      this.#pendingBytes = 0
      rest = bytes.subarray(space)
    }
    const chunks = absorbAllButLast(rest, this.#chunks)
    this.#chunks += chunks
    this.#keep(rest.subarray(chunks * CHUNK_BYTES))
    this.#takeStack()
  }

  digest(): ContentHash {
    const { input, finish, value } = engine()
    this.#putStack()
    input.set(this.#pending.subarray(0, this.#pendingBytes))
    finish(this.#pendingBytes, this.#chunks)
    return hexOf(value)
  }

  copy(): Stream {
    const copy = new Stream()
    copy.#pending.set(this.#pending.subarray(0, this.#pendingBytes))
    copy.#pendingBytes = this.#pendingBytes
    copy.#chunks = this.#chunks
    copy.#stack = Buffer.from(this.#stack)
    return copy
  }

  #keep(bytes: Uint8Array): void {
    this.#pending.set(bytes, this.#pendingBytes)
    this.#pendingBytes += bytes.byteLength
  }

  #putStack(): void {
    engine().stack.set(this.#stack)
  }

  #takeStack(): void {
    const bytes = oneBits(this.#chunks) * VALUE_BYTES
    if (this.#stack.byteLength !== bytes) this.#stack = Buffer.allocUnsafe(bytes)
    this.#stack.set(engine().stack.subarray(0, bytes))
  }
}

function oneBits(count: number): number {
  let bits = 0
  for (let rest = count; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2
  return bits
}
