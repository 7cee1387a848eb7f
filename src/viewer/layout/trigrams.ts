/**
 * `trigrams.bin`: which blocks of 256 rows can hold a text. Three bytes of text, ASCII letters in lower case,
 * set one of 32768 bits of their block. A text can be in a block only if all of its trigrams are; the reader
 * then looks into the lines.
 *
 * Blocks are stored in segments of at most 4096, turned round: bit by bit, each bit for all blocks of the
 * segment. So a search reads a few hundred bytes per trigram and segment instead of the whole file.
 */
export const SIGNATURE_BITS = 32_768
export const SEGMENT_BLOCKS = 4096

/** `offset`: of the segment in the file. Its slice for bit `b` begins at `offset + b * sliceBytes`. */
export type TrigramSegment = { readonly firstBlock: number; readonly blocks: number; readonly offset: number }

export function sliceBytes(segment: { readonly blocks: number }): number {
  return Math.ceil(segment.blocks / 8)
}

const fold = new Uint8Array(256).map((_, byte) => foldByte(byte))

export function foldByte(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte
}

/**
 * Adds the trigrams of `bytes` to a signature of SIGNATURE_BITS. A million lines pass through here: no
 * allocation.
 */
export function addTrigrams(signature: Int32Array, bytes: Uint8Array, from: number, to: number): void {
  if (to - from < 3) return
  let key = ((fold[bytes[from] ?? 0] ?? 0) << 8) | (fold[bytes[from + 1] ?? 0] ?? 0)
  for (let at = from + 2; at < to; at += 1) {
    key = ((key << 8) | fold[bytes[at]!]!) & 0xffffff
    const bit = Math.imul(key, 0x9e3779b1) >>> 17
    signature[bit >>> 5]! |= 1 << (bit & 31)
  }
}

/**
 * The bits that a block must have to hold this text, without repeats; none for a text of less than three
 * bytes.
 */
export function bitsOf(text: Uint8Array): readonly number[] {
  const signature = new Int32Array(SIGNATURE_BITS / 32)
  addTrigrams(signature, text, 0, text.length)
  const bits: number[] = []
  for (let bit = 0; bit < SIGNATURE_BITS; bit += 1)
    if (((signature[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0) bits.push(bit)
  return bits
}

/** Turns signatures, block after block, into slices, bit after bit. */
export function slicesOf(signatures: Int32Array, blocks: number): Uint8Array {
  const width = Math.ceil(blocks / 8)
  const slices = new Uint8Array(SIGNATURE_BITS * width)
  const words = SIGNATURE_BITS / 32
  for (let block = 0; block < blocks; block += 1) {
    const byte = block >>> 3
    const mask = 1 << (block & 7)
    for (let word = 0; word < words; word += 1) {
      for (let bits = signatures[block * words + word] ?? 0; bits !== 0; bits &= bits - 1) {
        const bit = word * 32 + (31 - Math.clz32(bits & -bits))
        slices[bit * width + byte]! |= mask
      }
    }
  }
  return slices
}
