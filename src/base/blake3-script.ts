/**
 * BLAKE3 in plain JavaScript: ready at once and with nothing to load, at about a hundredth of the addon's speed. For the few kilobytes of a short
 * run, and wherever neither of the other engines can be had in time. Written from the specification; unkeyed, 32 bytes of output.
 */
const BLOCK_BYTES = 64
const CHUNK_BYTES = 1024
const CHUNK_START = 1
const CHUNK_END = 2
const PARENT = 4
const ROOT = 8
const IV = Uint32Array.of(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19)
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8] as const
const ROUNDS = 7
/** Which word of the message each round takes at each place. */
const SCHEDULE = schedule()

type ChainingValue = Uint32Array

export class ScriptBlake3 {
  readonly #block = new Uint8Array(BLOCK_BYTES)
  #blockLength = 0
  #blocks = 0
  #chunk = 0
  #value: ChainingValue = IV.slice()
  /** Roots of the whole subtrees to the left, largest first. */
  readonly #left: ChainingValue[] = []

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; ) {
      // The last block is kept back: whether it is the last of its chunk, or of all, shows only when more comes.
      if (this.#blockLength === BLOCK_BYTES) this.#passBlock()
      const taken = Math.min(BLOCK_BYTES - this.#blockLength, bytes.byteLength - at)
      this.#block.set(bytes.subarray(at, at + taken), this.#blockLength)
      this.#blockLength += taken
      at += taken
    }
  }

  /** 64 hex digits. More may follow, and it may be asked again. */
  digest(): string {
    const isOnly = this.#left.length === 0
    let value = this.#lastBlock(isOnly ? ROOT : 0)
    for (let at = this.#left.length - 1; at >= 0; at -= 1) value = parent(this.#left[at] ?? IV, value, at === 0 ? ROOT : 0)
    return hex(value)
  }

  #passBlock(): void {
    if (this.#blocks < CHUNK_BYTES / BLOCK_BYTES - 1) {
      this.#value = compress(this.#value, words(this.#block), this.#chunk, BLOCK_BYTES, this.#blocks === 0 ? CHUNK_START : 0)
      this.#blocks += 1
    } else this.#passChunk()
    this.#blockLength = 0
  }

  #passChunk(): void {
    let value = this.#lastBlock(0)
    this.#chunk += 1
    for (let chunks = this.#chunk; chunks % 2 === 0; chunks /= 2) value = parent(this.#left.pop() ?? IV, value, 0)
    this.#left.push(value)
    this.#value = IV.slice()
    this.#blocks = 0
  }

  #lastBlock(flags: number): ChainingValue {
    this.#block.fill(0, this.#blockLength)
    const start = this.#blocks === 0 ? CHUNK_START : 0
    return compress(this.#value, words(this.#block), this.#chunk, this.#blockLength, start | CHUNK_END | flags)
  }
}

function parent(left: ChainingValue, right: ChainingValue, flags: number): ChainingValue {
  const message = new Uint32Array(16)
  message.set(left)
  message.set(right, 8)
  return compress(IV, message, 0, BLOCK_BYTES, PARENT | flags)
}

const state = new Uint32Array(16)

function compress(value: ChainingValue, message: Uint32Array, counter: number, length: number, flags: number): ChainingValue {
  state.set(value)
  state.set(IV.subarray(0, 4), 8)
  state[12] = counter
  state[13] = Math.floor(counter / 2 ** 32)
  state[14] = length
  state[15] = flags
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = round * 16
    mix(0, 4, 8, 12, message, at)
    mix(1, 5, 9, 13, message, at + 2)
    mix(2, 6, 10, 14, message, at + 4)
    mix(3, 7, 11, 15, message, at + 6)
    mix(0, 5, 10, 15, message, at + 8)
    mix(1, 6, 11, 12, message, at + 10)
    mix(2, 7, 8, 13, message, at + 12)
    mix(3, 4, 9, 14, message, at + 14)
  }
  const out = new Uint32Array(8)
  for (let at = 0; at < 8; at += 1) out[at] = word(state, at) ^ word(state, at + 8)
  return out
}

function mix(a: number, b: number, c: number, d: number, message: Uint32Array, at: number): void {
  let [va, vb, vc, vd] = [word(state, a) | 0, word(state, b) | 0, word(state, c) | 0, word(state, d) | 0]
  va = (va + vb + word(message, SCHEDULE[at] ?? 0)) | 0
  vd = right(vd ^ va, 16)
  vc = (vc + vd) | 0
  vb = right(vb ^ vc, 12)
  va = (va + vb + word(message, SCHEDULE[at + 1] ?? 0)) | 0
  vd = right(vd ^ va, 8)
  vc = (vc + vd) | 0
  vb = right(vb ^ vc, 7)
  state[a] = va
  state[b] = vb
  state[c] = vc
  state[d] = vd
}

function right(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits))
}

function word(from: Uint32Array, at: number): number {
  return from[at] ?? 0
}

function words(block: Uint8Array): Uint32Array {
  const view = new DataView(block.buffer)
  return Uint32Array.from({ length: 16 }, (_, at) => view.getUint32(at * 4, true))
}

function hex(value: ChainingValue): string {
  const bytes = Buffer.alloc(32)
  value.forEach((each, at) => void bytes.writeUInt32LE(each, at * 4))
  return bytes.toString('hex')
}

function schedule(): Uint8Array {
  const all = new Uint8Array(ROUNDS * 16)
  for (let at = 0; at < all.length; at += 1) all[at] = at < 16 ? at : (all[at - 16 - (at % 16) + (PERMUTATION[at % 16] ?? 0)] ?? 0)
  return all
}
