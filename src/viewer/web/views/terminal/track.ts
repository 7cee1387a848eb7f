/**
 * When which bytes came out of a terminal, and how large its screen was. Positions are found by halving: a
 * seek costs nothing.
 */
import type { CassetteDocument, CassetteInput } from '../../../protocol.ts'
import { source } from '../../data/source.ts'

export type CassetteTrack = {
  /** Bytes of the output that had arrived. */
  bytesAt(atMs: number): number
  sizeAt(atMs: number): { readonly rows: number; readonly cols: number }
  /** The moments of the chunk before and after. */
  previous(atMs: number): number
  next(atMs: number): number
}

/** Times and ends of all chunks: 16 bytes each. */
export async function loadTrack(item: string, cassette: CassetteDocument): Promise<CassetteTrack> {
  const times = new Float64Array(cassette.chunks)
  const ends = new Float64Array(cassette.chunks)
  let count = 0
  while (count < cassette.chunks) {
    const { chunks } = await source().cassetteChunks(item, count)
    if (chunks.length === 0) break
    for (const [atMs, offset, length] of chunks) {
      times[count] = atMs
      ends[count] = offset + length
      count += 1
    }
  }
  return createTrack(times.subarray(0, count), ends.subarray(0, count), cassette)
}

export function createTrack(
  times: Float64Array,
  ends: Float64Array,
  cassette: {
    readonly rows: number
    readonly cols: number
    readonly durationMs: number
    readonly inputs: readonly CassetteInput[]
  },
): CassetteTrack {
  const resizes = cassette.inputs.filter(
    (input) => input.kind === 'resize' && input.rows !== null && input.cols !== null,
  )
  /** The number of chunks that had come by then. */
  const before = (atMs: number): number => {
    let low = 0
    let high = times.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((times[middle] ?? 0) <= atMs) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    bytesAt: (atMs) => ends[before(atMs) - 1] ?? 0,
    sizeAt(atMs) {
      const last = resizes.findLast((resize) => resize.atMs <= atMs)
      return { rows: last?.rows ?? cassette.rows, cols: last?.cols ?? cassette.cols }
    },
    previous: (atMs) => times[before(atMs - 0.001) - 1] ?? 0,
    next: (atMs) => times[before(atMs)] ?? cassette.durationMs,
  }
}
