/**
 * A recording as text: what scrolled by and the last screen; and its frames with all their cells, as other
 * readers of the format know them.
 */
import { fromDisk } from '../../scrub/scrubbed.ts'
import { frameLine } from '../codec/index.ts'
import type { FrameRecord } from '../codec/records.ts'
import type { Writable } from '../codec/writable.ts'
import { framesWithCells } from '../terminal/delta.ts'
import { momentsOf } from '../terminal/moments.ts'
import { createTerminal } from '../terminal/terminal.ts'
import type { CassetteReader } from './reader.ts'

const MOST_LINES = 1_000_000

export async function transcript(reader: CassetteReader): Promise<string> {
  const { initialRows, initialCols } = reader.manifest().terminal
  const terminal = createTerminal({ rows: initialRows || 24, cols: initialCols || 80 }, MOST_LINES)
  const raw = reader.rawOutput()
  try {
    for (const moment of momentsOf(reader.events())) {
      if (moment.kind === 'output') await terminal.feed(raw.subarray(moment.start, moment.end))
      else if (moment.kind === 'resize') terminal.resize(moment.size)
    }
    return `${terminal.history().join('\n').trimEnd()}\n`
  } finally {
    terminal.dispose()
  }
}

export function fullFrames(reader: CassetteReader): string {
  return [...framesWithCells(reader.frames())]
    .map((frame) => `${frameLine(fromDisk({ ...frame, delta: null }) as Writable<FrameRecord>)}\n`)
    .join('')
}
