/**
 * The records of a tape, read once and in order, with two positions in them: where the replay takes from, and how far the second recording has come.
 * Holds the records between the two, and those that were read ahead; nothing else.
 */
import type { TapeRecord } from '../../tape/index.ts'

export class RecordStream {
  readonly #source: Iterator<TapeRecord>
  #held: TapeRecord[] = []
  /** The position of the first record that is held. */
  #first = 0
  #released = { taken: 0, written: 0 }
  #ended = false

  constructor(source: Iterable<TapeRecord>) {
    this.#source = source[Symbol.iterator]()
  }

  /** The record at this position, or null after the end. */
  at(position: number): TapeRecord | null {
    while (position >= this.#first + this.#held.length) {
      if (this.#ended) return null
      const next = this.#source.next()
      if (next.done === true) this.#ended = true
      else this.#held.push(next.value)
    }
    return this.#held[position - this.#first] ?? null
  }

  /** One of the two readers needs nothing before this position any more. */
  release(reader: 'taken' | 'written', position: number): void {
    this.#released[reader] = position
    const both = Math.min(this.#released.taken, this.#released.written)
    // Dropping one by one from a long list costs as much as the list is long.
    if (both - this.#first < DROP_AT_ONCE && both - this.#first < this.#held.length) return
    this.#held = this.#held.slice(both - this.#first)
    this.#first = both
  }
}

const DROP_AT_ONCE = 1024
