/**
 * The ChaCha20 key stream (RFC 8439, section 2.3) with a nonce of zeros: 64 bytes per block, the same on
 * every machine.
 */

const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const
const ROUNDS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const

export const BLOCK_BYTES = 64

/** Block number `counter` of the stream of `key` (32 bytes). */
export function chacha20Block(key: Uint8Array, counter: number): Uint8Array {
  const start = initialState(key, counter)
  const state = Uint32Array.from(start)
  for (let round = 0; round < 10; round += 1)
    for (const [a, b, c, d] of ROUNDS) quarterRound(state, a, b, c, d)
  const block = new DataView(new ArrayBuffer(BLOCK_BYTES))
  for (let word = 0; word < 16; word += 1)
    block.setUint32(word * 4, (at(state, word) + at(start, word)) >>> 0, true)
  return new Uint8Array(block.buffer)
}

function initialState(key: Uint8Array, counter: number): Uint32Array {
  if (key.byteLength !== 32) throw new RangeError(`a ChaCha20 key has 32 bytes, not ${key.byteLength}`)
  const view = new DataView(key.buffer, key.byteOffset, 32)
  const words = Array.from({ length: 8 }, (_, word) => view.getUint32(word * 4, true))
  // The counter is one word in the RFC; its overflow goes to the next word, of the nonce.
  return Uint32Array.from([...CONSTANTS, ...words, counter >>> 0, Math.floor(counter / 2 ** 32), 0, 0])
}

function quarterRound(state: Uint32Array, a: number, b: number, c: number, d: number): void {
  mix(state, a, b, d, 16)
  mix(state, c, d, b, 12)
  mix(state, a, b, d, 8)
  mix(state, c, d, b, 7)
}

function mix(state: Uint32Array, sum: number, addend: number, turned: number, bits: number): void {
  state[sum] = at(state, sum) + at(state, addend)
  const word = at(state, turned) ^ at(state, sum)
  state[turned] = (word << bits) | (word >>> (32 - bits))
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0
}
