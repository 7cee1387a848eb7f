/**
 * The records of a tape with their lines, read once and in order, with three positions in them: where the
 * replay takes from, how far the second recording has come, and how far its lines have been compared. Holds
 * the records between the first and the last of the three; nothing else.
 */
import type { TapeRecord } from '../../tape/index.ts'

export type RecordLine = { readonly record: TapeRecord; readonly text: string }

/** The lines of the tape, for a comparison with those of the second recording. */
export type RecordedLines = {
  /** The line of the record at this position, or null after the last record. */
  lineAt(position: number): string | null
  /** Nothing before this position is needed any more. */
  release(position: number): void
}

export class RecordStream {
  readonly #source: Iterator<RecordLine>
  #held: RecordLine[] = []
  /** The position of the first record that is held. */
  #first = 0
  readonly #released = { taken: 0, written: 0, compared: Number.POSITIVE_INFINITY }
  #ended = false

  constructor(source: Iterable<RecordLine>) {
    this.#source = source[Symbol.iterator]()
  }

  /** The record at this position, or null after the end. */
  at(position: number): TapeRecord | null {
    return this.#line(position)?.record ?? null
  }

  /** For one who compares lines. From now on they are held until they are released. */
  lines(): RecordedLines {
    this.#released.compared = this.#first
    return {
      lineAt: (position) => {
        const line = this.#line(position)
        return line === null || line.record.kind.kind === 'tape_seal' ? null : line.text
      },
      release: (position) => this.release('compared', position),
    }
  }

  /** One of the readers needs nothing before this position any more. */
  release(reader: 'taken' | 'written' | 'compared', position: number): void {
    const released = this.#released
    released[reader] = position
    const free = Math.min(released.taken, released.written, released.compared) - this.#first
    // Dropping copies what remains: only when half of the list is free is that cheap.
    if (free < this.#held.length && (free < DROP_AT_LEAST || free * 2 < this.#held.length)) return
    this.#held = free < this.#held.length ? this.#held.slice(free) : []
    this.#first += free
  }

  #line(position: number): RecordLine | null {
    while (position >= this.#first + this.#held.length) {
      if (this.#ended) return null
      const next = this.#source.next()
      if (next.done === true) this.#ended = true
      else this.#held.push(next.value)
    }
    return this.#held[position - this.#first] ?? null
  }
}

const DROP_AT_LEAST = 1024
