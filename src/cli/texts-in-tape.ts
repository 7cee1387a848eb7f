/**
 * Which of some texts a tape has anywhere. It is read once, as bytes, piece by piece: that is far cheaper than
 * to parse it. A very long tape counts as having all of them.
 */
import { fs } from '../real/fs.ts'

const PIECE_BYTES = 1024 * 1024
const MAX_BYTES = 256 * PIECE_BYTES

export function textsInTape<const T extends string>(path: string, texts: readonly T[]): ReadonlySet<T> {
  const missing = new Map(texts.map((text) => [text, Buffer.from(text)]))
  const found = new Set<T>()
  const overlap = Math.max(...[...missing.values()].map((bytes) => bytes.length)) - 1
  const descriptor = fs.openSync(path, 'r')
  try {
    const piece = Buffer.alloc(PIECE_BYTES + overlap)
    let kept = 0
    for (let at = 0; at < MAX_BYTES && missing.size > 0; ) {
      const read = fs.readSync(descriptor, piece, kept, PIECE_BYTES, at)
      if (read === 0) return found
      const end = kept + read
      for (const [text, bytes] of missing) {
        if (!piece.subarray(0, end).includes(bytes)) continue
        found.add(text)
        missing.delete(text)
      }
      at += read
      kept = Math.min(end, overlap)
      piece.copyWithin(0, end - kept, end)
    }
    return new Set(texts)
  } finally {
    fs.closeSync(descriptor)
  }
}
