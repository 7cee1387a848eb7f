/**
 * A screen as text for the secret search, in three forms: line by line, with lines
 * joined that fill their row, and with the frames of boxes taken off and all rows joined, as a secret looks
 * that a program wrapped into a box. Every character knows its row and place.
 */
import type { Cell } from '../codec/records.ts'
import { charWidth } from '../terminal/char-width.ts'
import { cellText } from '../terminal/frame.ts'
import type { ScreenRow } from '../terminal/terminal.ts'
import type { SecretFinder } from './secret-finder.ts'

/** `at` counts UTF-16 units of the row's text. */
type ScreenPlace = { readonly row: number; readonly at: number }
export type ScreenSecret = {
  readonly kind: string
  readonly secret: string
  readonly places: readonly ScreenPlace[]
}

type Piece = { readonly row: number; readonly from: number; readonly length: number; readonly start: number }

/**
 * The text of each cell, whose sum is the text of the row: a character without width that has nothing to join
 * is in a cell of its own, which looks like the second half of a wide one.
 */
export function cellTexts(cells: readonly Cell[], text: string): readonly string[] {
  let at = 0
  return cells.map((cell) => {
    if (at >= text.length) return ''
    const next = text.codePointAt(at) ?? 0
    const isLone = cell.char === 0 && charWidth(next) === 0
    const shown = isLone ? String.fromCodePoint(next) : cellText(cell)
    at += shown.length
    return shown
  })
}

const BORDER = /[\s\u2500-\u259f|>❯›]/

export function findOnScreen(
  rows: readonly ScreenRow[],
  cols: number,
  finder: SecretFinder,
): readonly ScreenSecret[] {
  const { text, pieces, boxedFrom } = layOut(rows, cols)
  return finder
    .find(text, true)
    .spans.map((span) => ({
      kind: span.kind,
      secret: text.slice(span.start, span.end),
      places: placesOf(pieces, span.start, span.end),
      start: span.start,
    }))
    .filter((found) => found.places.length > 0)
    .filter((found) => found.start < boxedFrom || runsToTheEdge(found.places, rows, cols))
}

function layOut(
  rows: readonly ScreenRow[],
  cols: number,
): { text: string; pieces: readonly Piece[]; boxedFrom: number } {
  const pieces: Piece[] = []
  let text = ''
  const add = (row: number, from: number, to: number): void => {
    const line = rows[row]?.text.slice(from, to) ?? ''
    if (line !== '') pieces.push({ row, from, length: line.length, start: text.length })
    text += line
  }
  rows.forEach((row, at) => {
    add(at, 0, row.text.length)
    if (!row.wraps) text += '\n'
  })
  const fills = (row: ScreenRow): boolean => row.wraps || row.text.length >= cols
  if (rows.some((row) => fills(row) && !row.wraps)) {
    text += '\n'
    rows.forEach((row, at) => {
      add(at, 0, row.text.length)
      if (!fills(row)) text += '\n'
    })
  }
  text += '\n'
  const boxedFrom = text.length
  rows.forEach((row, at) => {
    let [from, to] = [0, row.text.length]
    while (from < to && BORDER.test(row.text[from] ?? '')) from += 1
    while (to > from && BORDER.test(row.text[to - 1] ?? '')) to -= 1
    if (from === to) text += '\n'
    else add(at, from, to)
  })
  return { text, pieces, boxedFrom }
}

function placesOf(pieces: readonly Piece[], start: number, end: number): readonly ScreenPlace[] {
  return pieces.flatMap((piece) => {
    const from = Math.max(start, piece.start)
    const to = Math.min(end, piece.start + piece.length)
    return Array.from({ length: Math.max(0, to - from) }, (_, at) => ({
      row: piece.row,
      at: piece.from + from - piece.start + at,
    }))
  })
}

/**
 * What was found only by joining rows counts if the rows it leaves run at least over half of the screen: a
 * column of short words is no wrapped text.
 */
function runsToTheEdge(places: readonly ScreenPlace[], rows: readonly ScreenRow[], cols: number): boolean {
  const lastRow = places[places.length - 1]?.row ?? 0
  const left = new Set(places.map((place) => place.row).filter((row) => row !== lastRow))
  return [...left].every((row) => (rows[row]?.text.trimEnd().length ?? 0) * 2 >= cols)
}
