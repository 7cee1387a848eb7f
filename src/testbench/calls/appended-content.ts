/**
 * The content of files that a program adds to in pieces. A secret that is added in pieces must not be on the
 * tape as far as it has come: its beginning is `<redacted:unfinished>` until it is whole.
 *
 * A replay has only the pieces. So the end of each file that may be the beginning of a secret is kept, as it
 * is, until the next piece.
 */
import type { ScrubbedBytes, Scrubber } from '../../scrub/index.ts'
import { concatScrubbed, scrubbedText, scrubbedUtf8 } from '../../scrub/scrubbed-parts.ts'

const UNFINISHED = scrubbedUtf8(scrubbedText`<redacted:unfinished>`)
const NOTHING = new Uint8Array(0)
const MOST_KEPT = 64 * 1024

type Kept = {
  /** The end of the content, as it is, and where in the content it begins. */
  readonly bytes: Uint8Array
  readonly start: number
  /** How much of the end may be the beginning of a secret. */
  readonly held: number
}

export class AppendedContent {
  readonly #scrubber: Scrubber
  readonly #kept = new Map<string, Kept>()

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber
  }

  /** What may be the beginning of a secret at the end of the file, and the piece. */
  withHeld(path: string, piece: Uint8Array): Uint8Array {
    const kept = this.#kept.get(path)
    return kept === undefined || kept.held === 0
      ? piece
      : Buffer.concat([kept.bytes.subarray(kept.bytes.byteLength - kept.held), piece])
  }

  /**
   * The content in a replay, as it is: what the tape has up to `from`, and the piece; between the two what
   * this run has added to the file and the recording scrubbed together with the piece, if it did.
   */
  matching(path: string, recorded: Uint8Array, from: number, piece: Uint8Array): Uint8Array {
    const before = recorded.subarray(0, from)
    const plain = Buffer.concat([before, piece])
    const kept = this.#kept.get(path)
    if (kept === undefined || this.#isRecorded(plain, recorded)) return plain
    const earlier = from < kept.start ? NOTHING : kept.bytes.subarray(from - kept.start)
    const candidates = [
      Buffer.concat([before, this.withHeld(path, piece)]),
      Buffer.concat([before, earlier, piece]),
    ]
    return candidates.find((content) => this.#isRecorded(content, recorded)) ?? plain
  }

  #isRecorded(content: Uint8Array, recorded: Uint8Array): boolean {
    return Buffer.compare(this.scrub(content), recorded) === 0
  }

  scrub(whole: Uint8Array): ScrubbedBytes {
    const { masked } = this.#scrubber.unfinished(whole, 'received')
    if (masked === 0) return this.#scrubber.bytes(whole, 'received')
    this.#scrubber.note('unfinished', '', 'file')
    return concatScrubbed([this.#scrubber.bytes(whole.subarray(0, -masked), 'received'), UNFINISHED])
  }

  /** To be called with the whole content once the piece is in it. */
  keep(path: string, whole: Uint8Array): void {
    const { held } = this.#scrubber.unfinished(whole, 'received')
    const start = Math.max(0, whole.byteLength - MOST_KEPT)
    this.#kept.set(path, { bytes: Buffer.from(whole.subarray(start)), start, held })
  }
}
