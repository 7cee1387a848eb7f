/**
 * The lines of a tape that was read once and will be read again. Events of the first 8 MB are kept, so they are
 * parsed once. Of a tape of up to 32 MB the bytes after them are kept too; a larger tape is read from the
 * disk again, from there on. Memory does not grow with the tape.
 */
import { createTapeParser, type TapeEvent, type TapePlace } from '../../tape/parser.ts'
import { readTapeBatches } from '../../tape/reader.ts'

const MAX_PARSED_BYTES = 8 * 1024 * 1024
const MAX_KEPT_BYTES = 32 * 1024 * 1024

export class KeptLines {
  readonly #path: string
  #events: (readonly TapeEvent[])[] = []
  /** The place after the events that are kept; null if all are. */
  #rest: TapePlace | null = null
  /** The bytes from that place on; null if there are too many. */
  #bytes: Buffer[] | null = []
  /** The beginning of a line that the next chunk ends. */
  #begun: Buffer[] = []
  #sizeBytes = 0

  constructor(path: string) {
    this.#path = path
  }

  /** The chunk may be reused afterwards. `place`: the first line that ends in it. */
  addChunk(chunk: Buffer, place: TapePlace): void {
    this.#sizeBytes += chunk.length
    if (this.#rest !== null) {
      this.#keep(chunk)
      return
    }
    if (this.#sizeBytes > MAX_PARSED_BYTES) {
      this.#rest = place
      this.#bytes = this.#begun
      this.#keep(chunk)
      return
    }
    const end = chunk.lastIndexOf(10) + 1
    const tail = Buffer.from(chunk.subarray(end))
    if (end > 0) this.#begun = [tail]
    else this.#begun.push(tail)
  }

  /** The events of the chunk before. */
  addEvents(events: readonly TapeEvent[]): void {
    if (this.#rest === null) this.#events.push(events)
  }

  /** All events again, in batches. Once. */
  *take(): Generator<readonly TapeEvent[], void, undefined> {
    const [kept, rest, bytes] = [this.#events, this.#rest, this.#bytes]
    this.#events = []
    this.#bytes = null
    // Released one by one while they are read.
    for (let events = kept.shift(); events !== undefined; events = kept.shift()) yield events
    if (rest === null) return
    if (bytes === null) {
      yield* readTapeBatches(this.#path, undefined, rest)
      return
    }
    const parser = createTapeParser(this.#path, rest)
    for (let chunk = bytes.shift(); chunk !== undefined; chunk = bytes.shift()) yield parser.push(chunk)
    yield parser.end()
  }

  #keep(chunk: Buffer): void {
    if (this.#sizeBytes > MAX_KEPT_BYTES) this.#bytes = null
    else this.#bytes?.push(Buffer.from(chunk))
  }
}
