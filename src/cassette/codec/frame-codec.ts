/**
 * The lines of frames.jsonl between disk and memory. `cells` is the format's own full grid; `delta` and
 * `alternate` are ours, and unknown to other readers, who skip them.
 */
import type { ScrubbedText } from '../../scrub/index.ts'
import type { Cell, DeltaRun, FrameDelta, FrameRecord } from './records.ts'
import { readSize, readTimed, wireSize } from './stream-codec.ts'
import { WireError, type WireObject, wireObject } from './wire-read.ts'
import { unlessEmpty, wireLine } from './wire-write.ts'
import type { Writable } from './writable.ts'

export function readFrame(value: unknown): FrameRecord {
  const line = wireObject(value, '')
  const cursor = line.object('cursor')
  const delta = line.objectOrNull('delta')
  return {
    ...readTimed(line),
    size: readSize(line.object('size')),
    text: line.textList('text'),
    cells: line.listOrNull('cells')?.map(readCellRow) ?? null,
    delta: delta === null ? null : readDelta(delta),
    cursor: { row: cursor.integer('Row'), col: cursor.integer('Col'), visible: cursor.flag('Visible') },
    title: line.text('title'),
    alternate: line.flag('alternate'),
    rawStart: line.integer('raw_start'),
    rawEnd: line.integer('raw_end'),
    parserOffset: line.integer('parser_offset'),
  }
}

function readCellRow(row: unknown): readonly Cell[] {
  if (row === null) return []
  if (!Array.isArray(row)) throw new WireError('cells holds a row that is not a list')
  return row.map((value: unknown) => {
    const cell = wireObject(value ?? {}, 'cells')
    return {
      char: cell.integer('Char'),
      mode: cell.integer('Mode'),
      fg: cell.integer('FG'),
      bg: cell.integer('BG'),
      combining: cell.text('Combining'),
    }
  })
}

function readDelta(delta: WireObject): FrameDelta {
  return { base: delta.integer('base'), runs: delta.list('runs').map(readRun) }
}

function readRun(run: unknown): DeltaRun {
  if (!Array.isArray(run) || run.length !== 6)
    throw new WireError('delta holds a run that is not [row, col, mode, fg, bg, chars]')
  const [row, col, mode, fg, bg]: unknown[] = run
  const chars: unknown = run[5]
  const whole = (value: unknown): number => {
    if (typeof value !== 'number' || !Number.isInteger(value))
      throw new WireError('delta holds a run whose place or style is not a whole number')
    return value
  }
  const cells = typeof chars === 'string' ? [...chars] : chars
  if (!Array.isArray(cells) || !cells.every((cell) => typeof cell === 'string'))
    throw new WireError('delta holds a run whose characters are not text')
  return { row: whole(row), col: whole(col), mode: whole(mode), fg: whole(fg), bg: whole(bg), chars: cells }
}

export function frameLine(frame: Writable<FrameRecord>): ScrubbedText {
  return wireLine({
    seq: frame.seq,
    t_ms: frame.tMs,
    size: wireSize(frame.size),
    text: frame.text,
    cells: frame.cells === null ? undefined : frame.cells.map((row) => row.map(wireCell)),
    cursor: { Row: frame.cursor.row, Col: frame.cursor.col, Visible: frame.cursor.visible },
    title: unlessEmpty(frame.title),
    raw_start: frame.rawStart,
    raw_end: frame.rawEnd,
    parser_offset: frame.parserOffset,
    alternate: unlessEmpty(frame.alternate),
    delta: frame.delta === null ? undefined : { base: frame.delta.base, runs: frame.delta.runs.map(wireRun) },
  })
}

function wireCell(cell: Writable<Cell>) {
  return {
    Char: cell.char,
    Mode: cell.mode,
    FG: cell.fg,
    BG: cell.bg,
    Combining: unlessEmpty(cell.combining),
  }
}

/**
 * A run of plain characters is one string; a run with wide or combined ones is a list, so that a reader needs
 * no table of widths.
 */
function wireRun(run: Writable<DeltaRun>) {
  const plain = run.chars.every(
    (char) => char.length > 0 && String.fromCodePoint(char.codePointAt(0) ?? 0).length === char.length,
  )
  const chars = plain ? (run.chars.join('') as ScrubbedText) : run.chars
  return [run.row, run.col, run.mode, run.fg, run.bg, chars] as const
}
