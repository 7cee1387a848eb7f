/**
 * Frames as differences. A frame line keeps its text, cursor and size in full, and of the cells only those
 * that changed since the frame before: a full grid of 50 by 220 is 540 KB, a keystroke is some 30 bytes.
 * `applyDelta` gives the full cells back.
 */
import { RepriseError } from '../../errors/index.ts'
import type { Cell, DeltaRun, FrameDelta, FrameRecord, Size } from '../codec/records.ts'
import { BLANK_CELL, cellText, sameCell } from './frame.ts'

export type CellGrid = readonly (readonly Cell[])[]

export function blankGrid(size: Size): CellGrid {
  return Array.from({ length: size.rows }, () => Array.from({ length: size.cols }, () => BLANK_CELL))
}

/** What changed from `before` (null: from a blank screen of this size), as runs of one style. */
export function deltaOf(
  before: { readonly seq: number; readonly cells: CellGrid } | null,
  cells: CellGrid,
): FrameDelta {
  const runs: DeltaRun[] = []
  cells.forEach((row, rowAt) => {
    let open: (DeltaRun & { chars: string[] }) | null = null
    row.forEach((cell, col) => {
      if (sameCell(cell, before === null ? BLANK_CELL : (before.cells[rowAt]?.[col] ?? BLANK_CELL))) {
        open = null
        return
      }
      if (open === null || open.mode !== cell.mode || open.fg !== cell.fg || open.bg !== cell.bg) {
        open = { row: rowAt, col, mode: cell.mode, fg: cell.fg, bg: cell.bg, chars: [] }
        runs.push(open)
      }
      open.chars.push(cellText(cell))
    })
  })
  return { base: before?.seq ?? 0, runs }
}

/** Refuses a run that leaves the grid: the file is hostile. */
export function applyDelta(before: CellGrid, delta: FrameDelta): CellGrid {
  const grid = before.map((row) => [...row])
  for (const run of delta.runs) {
    const row = grid[run.row]
    if (row === undefined || run.col < 0 || run.col + run.chars.length > row.length) {
      throw new RepriseError('cassette-file-invalid', 'cassette: frames.jsonl: a delta leaves the screen', {
        hint: 'the file is damaged',
      })
    }
    run.chars.forEach((text, at) => {
      const char = text.codePointAt(0) ?? 0
      const combining = char === 0 ? '' : text.slice(char > 0xffff ? 2 : 1)
      row[run.col + at] = { char, mode: run.mode, fg: run.fg, bg: run.bg, combining }
    })
  }
  return grid
}

const MAX_CELLS = 4_000_000

/** The full cells of every frame, in order; null for a frame that has neither `cells` nor `delta`. */
export function* framesWithCells(frames: readonly FrameRecord[]): Generator<FrameRecord> {
  let last: { readonly seq: number; readonly cells: CellGrid } | null = null
  for (const frame of frames) {
    const cells: CellGrid | null = frame.cells ?? fromDelta(frame, last)
    last = cells === null ? null : { seq: frame.seq, cells }
    yield { ...frame, cells }
  }
}

function fromDelta(
  frame: FrameRecord,
  last: { readonly seq: number; readonly cells: CellGrid } | null,
): CellGrid | null {
  if (frame.delta === null) return null
  if (frame.delta.base === 0) {
    const { rows, cols } = frame.size
    if (rows < 0 || cols < 0 || rows * cols > MAX_CELLS)
      throw new RepriseError('cassette-terminal-size', `cassette: frame of ${rows} by ${cols} cells`)
    return applyDelta(blankGrid(frame.size), frame.delta)
  }
  if (last === null || last.seq !== frame.delta.base) {
    throw new RepriseError(
      'cassette-file-invalid',
      `cassette: frames.jsonl: frame ${frame.seq} builds on a frame that is not before it`,
    )
  }
  return applyDelta(last.cells, frame.delta)
}
