/**
 * The clock reads that only one run made, in the order of the alignment. Such a read shifts the values of the
 * reads after it, so the sentence about another value has their number.
 */
import type { TapeRecord } from '../tape/record.ts'

/** What is known about a clock read whose value differs. */
export type ReadFacts = {
  readonly api: string
  /** The first frame of the program; null for a tape, which has no frames. */
  readonly frame: string | null
  /** Clock reads before it that only the recorded run made, and only the replay. */
  readonly missing: number
  readonly extra: number
}

export type UnmatchedRead = {
  readonly type: 'missing' | 'extra'
  /** In its own run. */
  readonly seq: number
  readonly api: string | null
  readonly frame: string | null
  /** The last record of the replay before it; -1 if there is none. */
  readonly after: number
}

/** The first frame of the program when it made a record of the run; null if it is not known. */
export type FrameOf = (seq: number) => string | null

const MAX_LISTED = 10_000

export class ClockReads {
  readonly listed: UnmatchedRead[] = []
  readonly #frameOf: FrameOf
  readonly #count = { missing: 0, extra: 0 }
  #after = -1

  constructor(frameOf: FrameOf = () => null) {
    this.#frameOf = frameOf
  }

  /** A record of the replay has its place. */
  passed({ seq }: TapeRecord): void {
    this.#after = seq
  }

  add(type: UnmatchedRead['type'], { seq, kind }: TapeRecord): void {
    if (kind.kind !== 'clock_read') return
    this.#count[type] += 1
    if (this.listed.length >= MAX_LISTED) return
    const frame = type === 'extra' ? this.#frameOf(seq) : null
    this.listed.push({ type, seq, api: kind.api ?? null, frame, after: this.#after })
  }

  /** Of a read that both runs made; null for another record, and where the tape has no name of the function. */
  factsOf({ kind, seq }: TapeRecord): ReadFacts | null {
    if (kind.kind !== 'clock_read' || kind.api === undefined) return null
    return { api: kind.api, frame: this.#frameOf(seq), ...this.#count }
  }
}

/** The function as a program calls it. */
export function clockCall(api: string): string {
  if (api === 'performance.timeOrigin') return api
  return api === 'Date' ? 'new Date()' : `${api}()`
}
