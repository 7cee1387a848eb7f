/**
 * Small questions about bytes that the stream scrubber asks: where the cursor is after them, whether a
 * sequence may be in them.
 */
import { textOrNull } from '../../base/index.ts'
import type { FlatText } from './flat-text.ts'
import { createLineKernel, type LineKernel } from './line-kernel.ts'
import { charactersOf } from './utf8.ts'
import { isPlain } from './vt-parser.ts'

/** Tab, line feed and carriage return come as controls if they are inside a sequence. */
export const MOVING_CONTROLS: ReadonlySet<number> = new Set([
  0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x84, 0x85, 0x88, 0x8d,
])

let kernel: LineKernel | null | undefined

/**
 * The column after these bytes, or null where they need a closer look: not all are plain; a line fills its
 * rows, goes back over itself, or ends without a carriage return; a tab does not move.
 */
export function columnAfterPlain(bytes: Buffer, start: number, cols: number): number | null {
  if (kernel === undefined) kernel = createLineKernel()
  if (kernel !== null && !bytes.includes(0x09)) return kernel(bytes, start, cols)
  return isPlain(bytes) ? columnAfterLines(bytes, start, cols) : null
}

/** The same for bytes that are known to be plain, where there are no vectors. */
export function columnAfterLines(bytes: Buffer, start: number, cols: number): number | null {
  let col = start
  let lineStart = 0
  for (let feed = bytes.indexOf(0x0a); feed !== -1; feed = bytes.indexOf(0x0a, feed + 1)) {
    const hasReturn = bytes[feed - 1] === 0x0d
    const firstReturn = bytes.indexOf(0x0d, lineStart)
    const end = columnAfterText(bytes.toString('latin1', lineStart, hasReturn ? feed - 1 : feed), col, cols)
    if (end === null || (firstReturn !== -1 && firstReturn < feed - 1)) return null
    if (end > 0 && (!hasReturn || end % cols === 0)) return null
    col = 0
    lineStart = feed + 1
  }
  if (bytes.indexOf(0x0d, lineStart) !== -1) return null
  return columnAfterText(bytes.toString('latin1', lineStart), col, cols)
}

const TAB_COLUMNS = 8

/** The column after text without line ends; null if a tab in it does not move. */
export function columnAfterText(text: string, start: number, cols: number): number | null {
  let col = start
  let from = 0
  for (let tab = text.indexOf('\t'); tab !== -1; tab = text.indexOf('\t', from)) {
    col += tab - from
    const inRow = col % cols
    if ((inRow === 0 && col > 0) || inRow === cols - 1) return null
    col += Math.min(TAB_COLUMNS - (inRow % TAB_COLUMNS), cols - 1 - inRow)
    from = tab + 1
  }
  return col + text.length - from
}

/** The column after a line feed without a carriage return. */
export function columnBelow(col: number, cols: number): number {
  return col > 0 && col % cols === 0 ? cols - 1 : col % cols
}

/** Only ESC and the C1 controls begin a sequence, and only a sequence swallows text. */
export function mayHoldSequence(bytes: Uint8Array): boolean {
  return bytes.includes(0x1b) || bytes.includes(0xc2)
}

export function columnAfter(final: string, params: string): number {
  const [first = '', second = ''] = params.split(';')
  const wanted = final === 'H' || final === 'f' ? second : final === 'G' || final === '`' ? first : '1'
  return Math.max(0, (Number.parseInt(wanted, 10) || 1) - 1)
}

/** String sequences have no columns: every byte of a secret in one is masked. */
export function addString(flat: FlatText, bytes: Uint8Array, start: number): void {
  const text = textOrNull(bytes)
  if (text === null || text.length === bytes.byteLength) {
    flat.ascii(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), start)
    return
  }
  let at = start
  for (const char of text) {
    const size = Buffer.byteLength(char)
    flat.glyph(char, at, size, size)
    at += size
  }
}

/**
 * The string as a title shows it: without control characters, and without bytes that are no character. False
 * if that is the string itself.
 */
export function addShownString(flat: FlatText, bytes: Uint8Array, start: number): boolean {
  let shown = 0
  for (const [codePoint, from, to] of charactersOf(bytes)) {
    if (codePoint < 0x20) continue
    flat.glyph(String.fromCodePoint(codePoint), start + from, to - from, to - from)
    shown += to - from
  }
  return shown < bytes.byteLength
}
