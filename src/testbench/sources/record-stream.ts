/**
 * The records of a tape with their lines, read once and in order, with three positions: that of the replay,
 * that of the second recording, and that of the comparison of lines. Holds only the records between the first
 * and the last of the three, and the rest of a batch.
 */
import type { TapeRecord } from '../../tape/index.ts'

export type RecordLine = { readonly record: TapeRecord; readonly text: string }

/** The lines of the tape, for a comparison with those of the second recording. */
export type RecordedLines = {
  /** The record at this position with its line, or null after the last record. */
  at(position: number): RecordLine | null
  /** Nothing before this position is needed any more. */
  release(position: number): void
}

export class RecordStream {
  readonly #source: Iterator<readonly RecordLine[]>
  #held: RecordLine[] = []
  /** The position of the first record that is held. */
  #first = 0
  readonly #released = { taken: 0, written: 0, compared: Number.POSITIVE_INFINITY }
  #ended = false

  constructor(batches: Iterable<readonly RecordLine[]>) {
    this.#source = batches[Symbol.iterator]()
  }

  /** The record at this position, or null after the end. */
  at(position: number): TapeRecord | null {
    return this.#line(position)?.record ?? null
  }

  /** For a comparison of lines. From now on they are held until they are released. */
  lines(): RecordedLines {
    this.#released.compared = this.#first
    return {
      at: (position) => {
        const line = this.#line(position)
        return line === null || line.record.kind.kind === 'tape_seal' ? null : line
      },
      release: (position) => this.release('compared', position),
    }
  }

  /** One of the readers needs nothing before this position any more. */
  release(reader: 'taken' | 'written' | 'compared', position: number): void {
    const released = this.#released
    released[reader] = position
    const free = Math.min(released.taken, released.written, released.compared) - this.#first
    const isAll = free === this.#held.length
    // Dropping copies the rest: that is cheap only when half of the list is free.
    if (free < (isAll ? DROP_ALL_AT_LEAST : DROP_AT_LEAST) || free * 2 < this.#held.length) return
    this.#held = isAll ? [] : this.#held.slice(free)
    this.#first += free
  }

  #line(position: number): RecordLine | null {
    while (position >= this.#first + this.#held.length) {
      if (this.#ended) return null
      const next = this.#source.next()
      if (next.done === true) this.#ended = true
      else for (const line of next.value) this.#held.push(line)
    }
    return this.#held[position - this.#first] ?? null
  }
}

const DROP_AT_LEAST = 1024
/** The list of a replay that keeps step with its tape is not made again for each record. */
const DROP_ALL_AT_LEAST = 32
