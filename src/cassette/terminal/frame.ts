/** The cells of a frame: the bits of their mode, the default colours, what they show. */
import type { Cell } from '../codec/records.ts'

/** Bits of `Cell.mode`. Up to `wrap` they are those of the format; the rest are ours. */
export const MODE = {
  reverse: 1,
  underline: 2,
  bold: 4,
  graphics: 8,
  italic: 16,
  blink: 32,
  /** On the last cell of a row that goes on in the next one. */
  wrap: 64,
  dim: 128,
  invisible: 256,
  strikethrough: 512,
  overline: 1024,
  /** `fg` is 0xRRGGBB even though it is below 256. */
  fgRgb: 2048,
  bgRgb: 4096,
} as const

export const DEFAULT_FG = 16777216
export const DEFAULT_BG = 16777217

export const BLANK_CELL: Cell = { char: 32, mode: 0, fg: DEFAULT_FG, bg: DEFAULT_BG, combining: '' }

/** What a cell shows; '' for the second half of a wide character. */
export function cellText(cell: Cell): string {
  return cell.char === 0 ? '' : String.fromCodePoint(cell.char) + cell.combining
}

export function sameCell(a: Cell, b: Cell): boolean {
  return (
    a.char === b.char && a.mode === b.mode && a.fg === b.fg && a.bg === b.bg && a.combining === b.combining
  )
}
