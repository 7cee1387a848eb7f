/**
 * What a writer must know of the rotated parts: how much they hold together, the highest seq, and the chain
 * of their last line.
 */
import { fs } from '../../real/index.ts'
import { readCheckpoints } from './checkpoints.ts'
import { listParts, type SessionFiles } from './session-files.ts'
import { emptyTail, scanTail } from './tail-state.ts'

export type PartsState = {
  readonly bytes: number
  readonly lines: number
  readonly maxSeq: number
  readonly chain: string | null
}

export const noParts: PartsState = { bytes: 0, lines: 0, maxSeq: -1, chain: '' }

/** Lines are read for their chain in a window this large at the end of the newest part. */
const WINDOW_BYTES = 1024 * 1024

export function partsState(files: SessionFiles): PartsState {
  const parts = listParts(files)
  const known = parts.length === 0 ? [] : readCheckpoints(files.checkpoints).checkpoints
  let state = noParts
  for (const [index, part] of parts.entries()) {
    const bytes = state.bytes + part.size
    // A rotation checkpoints the part that it closes, so parts are not read again.
    const checkpoint = known.find((made) => made.bytes === bytes)
    const isNewest = index === parts.length - 1
    const skipped =
      checkpoint === undefined ? 0 : isNewest ? Math.max(0, part.size - WINDOW_BYTES) : part.size
    const tail = scanPart(part.path, skipped, part.size)
    state = {
      bytes,
      lines: checkpoint?.count ?? state.lines + tail.lines,
      maxSeq: Math.max(state.maxSeq, checkpoint?.seq ?? tail.maxSeq),
      chain: tail.chain,
    }
  }
  return state
}

function scanPart(path: string, from: number, size: number): ReturnType<typeof scanTail> {
  const handle = fs.openSync(path, 'r')
  try {
    return scanTail(handle, { ...emptyTail, end: from }, size)
  } finally {
    fs.closeSync(handle)
  }
}
