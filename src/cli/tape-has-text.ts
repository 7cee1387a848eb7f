/**
 * Whether a tape has a text anywhere. It is read as bytes, piece by piece: that is far cheaper than to parse
 * it. A very long tape counts as having it.
 */
import { fs } from '../real/fs.ts'

const PIECE_BYTES = 1024 * 1024
const MAX_BYTES = 256 * PIECE_BYTES

export function tapeHasText(path: string, text: string): boolean {
  const wanted = Buffer.from(text)
  const descriptor = fs.openSync(path, 'r')
  try {
    const piece = Buffer.alloc(PIECE_BYTES + wanted.length)
    let kept = 0
    for (let at = 0; at < MAX_BYTES; ) {
      const read = fs.readSync(descriptor, piece, kept, PIECE_BYTES, at)
      if (piece.subarray(0, kept + read).includes(wanted)) return true
      if (read === 0) return false
      at += read
      const end = kept + read
      kept = Math.min(end, wanted.length - 1)
      piece.copyWithin(0, end - kept, end)
    }
    return true
  } finally {
    fs.closeSync(descriptor)
  }
}
