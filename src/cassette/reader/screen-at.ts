/**
 * The screen at any moment: rendered from output.raw, so every chunk can be shown, not only the moments
 * of the recorded frames. A cassette of another emulator shows its own frames, since this one might draw them
 * differently.
 */
import { RepriseError } from '../../errors/index.ts'
import type { Frame, FrameRecord, Size } from '../codec/records.ts'
import { blankGrid, framesWithCells } from '../terminal/delta.ts'
import { type Moment, momentsOf, replayMoments } from '../terminal/moments.ts'
import { emulator } from '../terminal/terminal.ts'
import type { CassetteReader } from './reader.ts'

/** After the event `seq`, or after everything up to `tMs`; without either, at the end. */
export type ScreenMoment = { readonly seq: number } | { readonly tMs: number } | 'end'

export async function screenAt(reader: CassetteReader, at: ScreenMoment): Promise<Frame> {
  const events = reader.events()
  const includes = (moment: { readonly seq: number; readonly tMs: number }): boolean =>
    at === 'end' || ('seq' in at ? moment.seq <= at.seq : moment.tMs <= at.tMs)
  if (at !== 'end' && 'seq' in at && !events.some((event) => event.seq === at.seq))
    throw noSuchMoment(`seq ${at.seq}`, `seq runs from 1 to ${events.length}`)
  if (at !== 'end' && 'tMs' in at && !(at.tMs >= 0))
    throw noSuchMoment(`${at.tMs} ms`, 'give a number from 0 up')
  const { terminal } = reader.manifest()
  const size = { rows: terminal.initialRows || 24, cols: terminal.initialCols || 80 }
  if (terminal.emulator.name !== emulator().name) {
    const frame = [...framesWithCells(reader.frames())].filter(includes).at(-1)
    if (frame !== undefined) return shown(frame, size)
  }
  let last: Frame | null = null
  const moments = momentsOf(events).filter(includes)
  await replayMoments(
    reader.rawOutput(),
    [...moments, { kind: 'look', seq: 0, tMs: 0 }],
    size,
    (moment, screen) => {
      if (moment.kind === 'look' && moment.seq === 0) last = screen.snapshot()
    },
  )
  if (last === null) throw noSuchMoment('that moment', 'the cassette is empty')
  return last
}

/** What a program writes to give the main screen back. */
const LEAVE = ['\u001b[?1049l', '\u001b[?1047l', '\u001b[?47l']

/**
 * The last screen of a full-screen program, just before it gave the main screen back; null if the recording
 * has none, or was made by another emulator.
 */
export async function lastFullScreen(reader: CassetteReader): Promise<Frame | null> {
  const { terminal } = reader.manifest()
  const raw = reader.rawOutput()
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const leftAt = Math.max(...LEAVE.map((sequence) => bytes.lastIndexOf(sequence)))
  if (leftAt < 0 || terminal.emulator.name !== emulator().name) return null
  const size = { rows: terminal.initialRows || 24, cols: terminal.initialCols || 80 }
  let last: Frame | null = null
  const before = momentsOf(reader.events()).flatMap((moment): Moment[] => {
    if (moment.kind !== 'output') return [moment]
    return moment.start >= leftAt ? [] : [{ ...moment, end: Math.min(moment.end, leftAt) }]
  })
  await replayMoments(raw, [...before, { kind: 'look', seq: 0, tMs: 0 }], size, (moment, screen) => {
    if (moment.kind === 'look' && moment.seq === 0) last = screen.snapshot()
  })
  const frame: Frame | null = last
  return frame
}

function noSuchMoment(what: string, hint: string): RepriseError {
  return new RepriseError('cassette-moment', `the cassette has no ${what}`, { hint })
}

/**
 * A recorded frame as a screen. Without cells it gets plain ones from its text; without a size it has the
 * size of the terminal.
 */
function shown(recorded: FrameRecord, terminal: Size): Frame {
  const hasSize = recorded.size.rows !== 0 || recorded.size.cols !== 0
  const frame = hasSize ? recorded : { ...recorded, size: terminal }
  const size = {
    rows: Math.min(Math.max(frame.size.rows, 0), 1000),
    cols: Math.min(Math.max(frame.size.cols, 0), 1000),
  }
  const cells =
    frame.cells ??
    blankGrid(size).map((row, at) => {
      const chars = [...(frame.text[at] ?? '')]
      return row.map((cell, col) => ({ ...cell, char: chars[col]?.codePointAt(0) ?? 32 }))
    })
  return { ...frame, cells }
}
