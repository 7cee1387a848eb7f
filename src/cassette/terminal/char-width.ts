/**
 * How many columns a character takes: 0, 1 or 2, by Unicode 14 (East Asian width W and F; marks and format
 * characters). One table for the emulator, the scrubber and the delta of frames, so that they can never
 * disagree about a column.
 *
 * The emulator's own table is that of Unicode 6, where emoji are narrow.
 * scripts/write-width-table.ts writes the ranges.
 */
import { WIDE, ZERO } from './width-ranges.ts'

/** Part of the emulator's version in the manifest: another table can give another screen. */
export const WIDTHS_VERSION = 'unicode14'

/** Made when the first character beyond ASCII is asked about. */
let made: Uint8Array | null = null

function makeWidths(): Uint8Array {
  const widths = new Uint8Array(0x40000).fill(1)
  mark(widths, WIDE, 2)
  mark(widths, ZERO, 0)
  widths.fill(0, 0, 0x20)
  widths.fill(0, 0x7f, 0xa0)
  return widths
}

function mark(widths: Uint8Array, ranges: string, width: number): void {
  let at = 0
  for (const range of ranges.split(' ')) {
    const [distance = '0', length = '0'] = range.split('+')
    const first = at + Number.parseInt(distance, 16)
    at = first + Number.parseInt(length, 16)
    widths.fill(width, first, at + 1)
  }
}

export function charWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x7f) return codePoint < 0x20 ? 0 : 1
  made ??= makeWidths()
  const widths = made
  const width =
    codePoint < widths.length ? widths[codePoint] : codePoint >= 0xe0000 && codePoint < 0xe1000 ? 0 : 1
  return width === 0 ? 0 : width === 2 ? 2 : 1
}
