/** The order in which a screen came about: bytes, resizes, and the moments at which it was read. */
import type { CassetteEvent, Size } from '../codec/records.ts'
import { inTime, type Steps } from './steps.ts'
import { createTerminal, MAX_CELLS, MAX_SIDE, type Terminal } from './terminal.ts'

export type Moment =
  | {
      readonly kind: 'output'
      readonly seq: number
      readonly tMs: number
      readonly start: number
      readonly end: number
    }
  | { readonly kind: 'resize'; readonly seq: number; readonly tMs: number; readonly size: Size }
  | { readonly kind: 'look'; readonly seq: number; readonly tMs: number }

type After = (moment: Moment, terminal: Terminal) => void

/** Feeds a fresh terminal moment by moment; `after` sees it after each. */
export function replayMoments(
  raw: Uint8Array,
  moments: readonly Moment[],
  size: Size,
  after: After,
): Promise<void> {
  return inTime(momentSteps(raw, moments, size, after))
}

export function* momentSteps(
  raw: Uint8Array,
  moments: readonly Moment[],
  size: Size,
  after: After,
): Steps<void> {
  const terminal = createTerminal(size)
  try {
    for (const moment of moments) {
      if (moment.kind === 'output') yield terminal.write(raw.subarray(moment.start, moment.end))
      else if (moment.kind === 'resize') terminal.resize(moment.size)
      after(moment, terminal)
    }
  } finally {
    terminal.dispose()
  }
}

function isPossible({ rows, cols }: Size): boolean {
  return rows > 0 && cols > 0 && rows <= MAX_SIDE && cols <= MAX_SIDE && rows * cols <= MAX_CELLS
}

/**
 * The moments of a recorded cassette. A chunk or a size that a hostile file makes impossible is left out:
 * `open` has judged it already.
 */
export function momentsOf(events: readonly CassetteEvent[]): readonly Moment[] {
  return events.flatMap((event): Moment[] => {
    const at = { seq: event.seq, tMs: event.tMs }
    if (event.kind === 'output')
      return [
        { kind: 'output', ...at, start: event.output.offset, end: event.output.offset + event.output.length },
      ]
    if (event.kind === 'input' && event.input.kind === 'resize' && event.input.size !== null) {
      return isPossible(event.input.size) ? [{ kind: 'resize', ...at, size: event.input.size }] : []
    }
    return event.kind === 'frame' ? [{ kind: 'look', ...at }] : []
  })
}
