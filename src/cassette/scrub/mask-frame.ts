/**
 * Masks what a frame shows of a secret, in its text and its cells alike; for frames that a caller made, not
 * this recorder.
 */
import type { Cell, Frame } from '../codec/records.ts'
import { cellTexts, findOnScreen } from './screen-text.ts'
import { MASK, type SecretFinder } from './secret-finder.ts'

export function maskFrame(frame: Frame, finder: SecretFinder): Frame {
  const rows = frame.text.map((text, row) => ({
    text,
    wraps: ((frame.cells[row]?.at(-1)?.mode ?? 0) & 64) !== 0,
  }))
  const found = findOnScreen(rows, frame.size.cols, finder)
  const title = maskedTitle(frame.title, finder)
  if (found.length === 0) return title === frame.title ? frame : { ...frame, title }
  const masked = new Set(found.flatMap(({ places }) => places.map(({ row, at }) => `${row}:${at}`)))
  for (const { kind, secret } of found) finder.note(kind, secret, 'frame')
  const cells = frame.cells.map((row, rowAt) => {
    let at = 0
    const texts = cellTexts(row, frame.text[rowAt] ?? '')
    return row.map((cell, col): Cell => {
      const hidden = masked.has(`${rowAt}:${at}`)
      at += texts[col]?.length ?? 0
      return hidden && cell.char !== 0 ? { ...cell, char: MASK, combining: '' } : cell
    })
  })
  const text = frame.text.map((line, row) =>
    // By UTF-16 units, as the places count.
    line
      .split('')
      .map((unit, at) => (masked.has(`${row}:${at}`) ? '*' : unit))
      .join(''),
  )
  return { ...frame, title, cells, text }
}

function maskedTitle(title: string, finder: SecretFinder): string {
  let masked = title
  for (const span of finder.find(title, true).spans)
    masked = masked.slice(0, span.start) + '*'.repeat(span.end - span.start) + masked.slice(span.end)
  return masked
}
