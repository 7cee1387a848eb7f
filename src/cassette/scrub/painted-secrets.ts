/**
 * Finds secrets that a program painted out of order, by looking at the screen after every chunk, and masks
 * the bytes that painted them.
 *
 * Which byte painted a cell is asked of the emulator itself: in a second run every character gets a colour of
 * its own, which the cell carries through scrolling, insertion and wrapping. The stream's own colours are
 * left out of that run; they move nothing.
 */

import type { Size } from '../codec/records.ts'
import { charWidth } from '../terminal/char-width.ts'
import { DEFAULT_FG } from '../terminal/frame.ts'
import type { Moment } from '../terminal/moments.ts'
import { momentSteps } from '../terminal/moments.ts'
import type { Steps } from '../terminal/steps.ts'
import { createTerminal, type ScreenRow, type Terminal } from '../terminal/terminal.ts'
import { cellTexts, findOnScreen } from './screen-text.ts'
import { MASK, type SecretFinder } from './secret-finder.ts'
import { createVtParser, type VtParser } from './vt-parser.ts'

/** Masks in place. Gives how many bytes were masked. */
export function* maskPaintedSecrets(
  raw: Uint8Array,
  moments: readonly Moment[],
  size: Size,
  finder: SecretFinder,
): Steps<number> {
  const painter = createPainter()
  const terminal = createTerminal(size)
  const masked = new Set<number>()
  try {
    for (const moment of moments) {
      if (moment.kind === 'look') continue
      if (moment.kind === 'resize') terminal.resize(moment.size)
      else yield terminal.write(painter.paint(raw.subarray(moment.start, moment.end)))
      const screen = readPaint(terminal, masked)
      for (const found of findOnScreen(screen.rows, terminal.size.cols, finder)) {
        finder.note(found.kind, found.secret, `screen at seq ${moment.seq}`)
        for (const place of found.places) {
          const glyph = screen.glyphs[place.row]?.[place.at]
          if (glyph !== undefined && glyph !== null) masked.add(glyph)
        }
      }
    }
  } finally {
    terminal.dispose()
  }
  let bytes = 0
  for (const glyph of masked) {
    const { start, length, columns } = painter.glyph(glyph)
    for (let at = 0; at < length; at += 1) raw[start + at] = at < columns ? MASK : 0
    bytes += length
  }
  return bytes
}

/** True if some screen of the recording shows a secret. */
export function* showsSecret(
  raw: Uint8Array,
  moments: readonly Moment[],
  size: Size,
  finder: SecretFinder,
): Steps<boolean> {
  let last = ''
  let shows = false
  yield* momentSteps(raw, moments, size, (moment, terminal) => {
    if (shows || moment.kind === 'look') return
    const rows = terminal.rows()
    const now = rows.map((row) => (row.wraps ? row.text : `${row.text}\n`)).join('')
    if (now === last) return
    last = now
    shows = findOnScreen(rows, terminal.size.cols, finder).length > 0
  })
  return shows
}

type Painted = {
  readonly rows: readonly ScreenRow[]
  readonly glyphs: readonly (readonly (number | null)[])[]
}

/**
 * The screen with what is masked already as masks, and for every UTF-16 unit of a row the character that
 * painted it.
 */
function readPaint(terminal: Terminal, masked: ReadonlySet<number>): Painted {
  const rows: ScreenRow[] = []
  const glyphs: (number | null)[][] = []
  const shownRows = terminal.rows()
  terminal.snapshot().cells.forEach((cells, row) => {
    const { text: shown = '', wraps = false } = shownRows[row] ?? {}
    let text = ''
    const painted: (number | null)[] = []
    cellTexts(cells, shown).forEach((seen, col) => {
      const { char = 0, fg = DEFAULT_FG, bg = 0 } = cells[col] ?? {}
      // A character without width has no colour of its own.
      const isPainted = char !== 0 && fg !== DEFAULT_FG
      const glyph = isPainted ? fg + (bg > 0xffffff ? 0 : bg * 0x1000000) : null
      const masks = glyph !== null && masked.has(glyph) ? '*' : seen
      text += masks
      for (let at = 0; at < masks.length; at += 1) painted.push(glyph)
    })
    rows.push({ text, wraps })
    glyphs.push(painted)
  })
  return { rows, glyphs }
}

type PaintedGlyph = { readonly start: number; readonly length: number; readonly columns: number }

/** Does nothing but end what a combining character or a repetition (REP) could continue. */
const JOIN_ENDS = '\x1b\\'

type Painter = {
  /** The same bytes with a colour before every character, and no other colours. */
  paint(bytes: Uint8Array): Uint8Array
  glyph(id: number): PaintedGlyph
}

function createPainter(): Painter {
  const glyphs: PaintedGlyph[] = []
  let out: string[] = []
  let high = -1
  const colour = (glyph: PaintedGlyph): void => {
    const id = glyphs.push(glyph) - 1
    const nextHigh = Math.floor(id / 0x1000000)
    if (nextHigh !== high && nextHigh > 0)
      out.push(`\x1b[48;2;${(nextHigh >> 16) & 255};${(nextHigh >> 8) & 255};${nextHigh & 255}m`)
    high = nextHigh
    out.push(`\x1b[38;2;${(id >> 16) & 255};${(id >> 8) & 255};${id & 255}m`)
  }
  const parser: VtParser = createVtParser({
    plain(bytes, start, end, base) {
      for (let at = start; at < end; at += 1) {
        const byte = bytes[at] ?? 0
        if (byte >= 0x20) colour({ start: base + at, length: 1, columns: 1 })
        out.push(String.fromCharCode(byte))
      }
    },
    glyph(codePoint, start, end) {
      const columns = charWidth(codePoint)
      if (columns > 0) colour({ start, length: end - start, columns })
      out.push(String.fromCodePoint(codePoint))
    },
    control: (code) => void out.push(String.fromCharCode(code)),
    escape: (intermediates, final) => void out.push(`\x1b${intermediates}${final}`),
    csi(prefix, params, intermediates, final) {
      if (final === 'm' && prefix === '' && intermediates === '') out.push(JOIN_ENDS)
      else out.push(`\x1b[${prefix}${params}${intermediates}${final}`)
    },
    string: () => undefined,
    broken: () => undefined,
    joinEnds: () => void out.push(JOIN_ENDS),
  })
  return {
    paint(bytes) {
      parser.parse(bytes)
      const text = out.join('')
      out = []
      return Buffer.from(text)
    },
    glyph: (id) => glyphs[id] ?? { start: 0, length: 0, columns: 0 },
  }
}
