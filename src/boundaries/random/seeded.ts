/**
 * Randomness from a seed: the same seed gives the same values on every machine and every Node, for a run
 * without a tape.
 *
 * The stream is ChaCha20 under the BLAKE3 hash of the seed. So any text is a seed, similar seeds have
 * unrelated streams, and published vectors can check it. Not for keys: with the seed all values are known.
 *
 * Decision 0072.
 */
import { contentHash, utf8 } from '../../base/index.ts'
import { BLOCK_BYTES, chacha20Block } from './chacha20.ts'
import type { RandomSource } from './source.ts'

export function seededSource(seed: string): RandomSource {
  const key = Buffer.from(contentHash(utf8(seed)), 'hex')
  let block = new Uint8Array(0)
  let used = 0
  let counter = 0

  const bytes = (size: number): Uint8Array => {
    const out = new Uint8Array(size)
    for (let filled = 0; filled < size; ) {
      if (used === block.byteLength) {
        block = Uint8Array.from(chacha20Block(key, counter))
        counter += 1
        used = 0
      }
      const part = block.subarray(used, used + Math.min(BLOCK_BYTES, size - filled))
      out.set(part, filled)
      filled += part.byteLength
      used += part.byteLength
    }
    return out
  }

  return {
    bytes,
    // 53 bits: every double of the form n / 2^53, all equally likely.
    double() {
      const drawn = bytes(7).reduce(
        (sum, byte, index) => sum + (index === 6 ? byte & 0x1f : byte) * 256 ** index,
        0,
      )
      return drawn / 2 ** 53
    },
  }
}
