/**
 * The compression of BLAKE3 in WebAssembly, for one chunk of up to 1024 bytes at a time. Ready at once, unlike an engine that is loaded: written out as the
 * bytes of its module, since it is the same eight lines 56 times. Written from the specification.
 *
 *     chunk(length, counter, flags): value = IV; for each block of the input: compress it into value
 *     parent(flags):                 value = IV; compress the first block of the input, which holds two values
 */
import { leb, name, section, signedLeb } from './wasm-module.ts'

const BLOCK_BYTES = 64
export const CHUNK_BYTES = 1024
const CHUNK_START = 1
const CHUNK_END = 2
const PARENT = 4
export const ROOT = 8
const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19] as const
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8] as const
const ROUNDS = 7

const VALUE_AT = CHUNK_BYTES
const VALUE_BYTES = 32

export type Blake3Kernel = {
  /** Bytes behind what is written here must be zero up to the end of a block: `chunk` sees to that. */
  readonly input: Buffer
  /** What came of the last call. */
  readonly value: Buffer
  /** Only of the first 2^32 chunks. */
  chunk(length: number, counter: number, flags: number): void
  parent(flags: number): void
}

type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer }
  compress(at: number, length: number, counter: number, flags: number): void
}
/** The part of the WebAssembly API that is used; the compiler's own library has it only together with the browser's. */
type WasmApi = {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Exports }
}

export function createBlake3Kernel(): Blake3Kernel | null {
  const wasm = (globalThis as { readonly WebAssembly?: WasmApi }).WebAssembly
  if (wasm === undefined) return null
  const { memory, compress } = new wasm.Instance(new wasm.Module(moduleBytes())).exports
  const input = Buffer.from(memory.buffer, 0, CHUNK_BYTES)
  const value = Buffer.from(memory.buffer, VALUE_AT, VALUE_BYTES)
  const words = new Uint32Array(memory.buffer, VALUE_AT, IV.length)
  return {
    input,
    value,
    chunk(length, counter, flags) {
      const last = length === 0 ? 0 : (length - 1) & -BLOCK_BYTES
      if (length < last + BLOCK_BYTES) input.fill(0, length, last + BLOCK_BYTES)
      words.set(IV)
      let start = CHUNK_START
      for (let at = 0; at < last; at += BLOCK_BYTES) {
        compress(at, BLOCK_BYTES, counter, start)
        start = 0
      }
      compress(last, length - last, counter, start | CHUNK_END | flags)
    },
    parent(flags) {
      words.set(IV)
      compress(0, BLOCK_BYTES, 0, PARENT | flags)
    },
  }
}

function moduleBytes(): Uint8Array {
  const body = compressCode()
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 4, I32, I32, I32, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x00, 1]),
    ...section(7, [2, ...name('memory'), 0x02, 0, ...name('compress'), 0x00, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ])
}

const I32 = 0x7f
const [ADD, XOR, ROTATE_RIGHT] = [0x6a, 0x73, 0x78]
/** Locals: the four parameters, then the sixteen words of the state. */
const [AT, LENGTH, COUNTER, FLAGS, STATE] = [0, 1, 2, 3, 4]

function compressCode(): number[] {
  const code: number[] = [1, 16, I32]
  const get = (local: number): void => void code.push(0x20, local)
  const set = (local: number): void => void code.push(0x21, local)
  const load = (offset: number): void => void code.push(0x28, 2, ...leb(offset))
  const store = (offset: number): void => void code.push(0x36, 2, ...leb(offset))
  const constant = (value: number): void => void code.push(0x41, ...signedLeb(value | 0))
  const message = (word: number): void => {
    get(AT)
    load(word * 4)
  }
  const add = (to: number, other: number, word?: number): void => {
    get(to)
    get(other)
    code.push(ADD)
    if (word !== undefined) {
      message(word)
      code.push(ADD)
    }
    set(to)
  }
  const mixIn = (to: number, other: number, bits: number): void => {
    get(to)
    get(other)
    code.push(XOR)
    constant(bits)
    code.push(ROTATE_RIGHT)
    set(to)
  }
  for (let at = 0; at < 8; at += 1) {
    constant(0)
    load(VALUE_AT + at * 4)
    set(STATE + at)
  }
  for (let at = 0; at < 4; at += 1) {
    constant(IV[at] ?? 0)
    set(STATE + 8 + at)
  }
  get(COUNTER)
  set(STATE + 12)
  // The upper half of the counter is a local's first value, zero.
  get(LENGTH)
  set(STATE + 14)
  get(FLAGS)
  set(STATE + 15)
  let order: readonly number[] = PERMUTATION.map((_, at) => at)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let at = 0; at < 8; at += 1) {
      // Four columns, then four diagonals.
      const turn = at < 4 ? 0 : 1
      const [a, b, c, d] = [0, 1, 2, 3].map((row) => STATE + row * 4 + ((at + row * turn) % 4)) as [number, number, number, number]
      add(a, b, order[at * 2])
      mixIn(d, a, 16)
      add(c, d)
      mixIn(b, c, 12)
      add(a, b, order[at * 2 + 1])
      mixIn(d, a, 8)
      add(c, d)
      mixIn(b, c, 7)
    }
    const before = order
    order = PERMUTATION.map((from) => before[from] ?? 0)
  }
  for (let at = 0; at < 8; at += 1) {
    constant(0)
    get(STATE + at)
    get(STATE + 8 + at)
    code.push(XOR)
    store(VALUE_AT + at * 4)
  }
  return [...code, 0x0b]
}
