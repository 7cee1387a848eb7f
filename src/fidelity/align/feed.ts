/**
 * One side of an alignment: entries that have come and are not yet placed. Aligners are generators that yield
 * the side of which they need one more entry; the caller pushes it, or ends the feed.
 */
import type { Entry } from '../comparable.ts'

export type Side = 'recorded' | 'replayed'

/** An aligner looks ahead no further than this, in records and in characters of their lines. */
export const MAX_AHEAD = 32_768
const MAX_AHEAD_CHARS = 32 * 1024 * 1024

export class Feed {
  readonly side: Side
  #entries: Entry[] = []
  #head = 0
  #chars = 0
  #ended = false
  /** True if something has come since an aligner last asked. */
  arrived = false

  constructor(side: Side) {
    this.side = side
  }

  get size(): number {
    return this.#entries.length - this.#head
  }

  /** True once no more will come. */
  get ended(): boolean {
    return this.#ended
  }

  get empty(): boolean {
    return this.#ended && this.#entries.length === this.#head
  }

  push(entry: Entry): void {
    this.#entries.push(entry)
    this.arrived = true
    this.#chars += entry.text.length
  }

  end(): void {
    this.#ended = true
  }

  at(index: number): Entry {
    const entry = this.#entries[this.#head + index]
    if (entry === undefined) throw new RangeError(`no entry ${index} in the feed`)
    return entry
  }

  take(): Entry {
    const entry = this.at(0)
    this.#head += 1
    this.#chars -= entry.text.length
    if (this.#head === this.#entries.length) {
      this.#entries.length = 0
      this.#head = 0
    } else if (this.#head > 4096 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
    return entry
  }

  /** Asks for entries until `count` are there, or no more can or may come. */
  *fill(count: number): Generator<Side, void, void> {
    while (this.size < count && !this.#ended && !this.full) yield this.side
  }

  get full(): boolean {
    return this.size >= MAX_AHEAD || this.#chars >= MAX_AHEAD_CHARS
  }
}
