/**
 * The content of files that a program appends to in pieces. A secret that arrives in pieces must not be on
 * the tape in part: its beginning is `<redacted:unfinished>` until it is whole.
 *
 * A replay has only the pieces. So the end of each file that may be the beginning of a secret is kept,
 * unscrubbed, until the next piece.
 */
import type { ScrubbedBytes, Scrubber } from '../../scrub/index.ts'
import { concatScrubbed } from '../../scrub/scrubbed-parts.ts'
import { MOST_KEPT, UNFINISHED } from '../records/appended-stream.ts'

const NOTHING = new Uint8Array(0)

type Kept = {
  /** The end of the content, unscrubbed, and its offset in the content. */
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

  /** How much of the end of the file may be the beginning of a secret. */
  heldOf(path: string): number {
    return this.#kept.get(path)?.held ?? 0
  }

  /** The possible beginning of a secret at the end of the file, and the piece. */
  withHeld(path: string, piece: Uint8Array): Uint8Array {
    const kept = this.#kept.get(path)
    return kept === undefined || kept.held === 0
      ? piece
      : Buffer.concat([kept.bytes.subarray(kept.bytes.byteLength - kept.held), piece])
  }

  /**
   * The content in a replay, unscrubbed: the tape's content up to `from`, and the piece. Between the two is
   * what this run has appended and the recording scrubbed together with the piece, if it did.
   */
  matching(path: string, recorded: Uint8Array, from: number, piece: Uint8Array): Uint8Array {
    const before = recorded.subarray(0, from)
    const added = this.#added(path, from, piece).map((each) => Buffer.concat([before, each]))
    return added.find((content) => this.#isRecorded(content, recorded)) ?? Buffer.concat([before, piece])
  }

  /** The same for the part of the content from `from` on; `recorded` is that part on the tape. */
  matchingEnd(path: string, recorded: Uint8Array, from: number, piece: Uint8Array): Uint8Array {
    return this.#added(path, from, piece).find((end) => this.#isRecorded(end, recorded)) ?? piece
  }

  /** The piece, and the piece after what the recording may have scrubbed together with it. */
  #added(path: string, from: number, piece: Uint8Array): readonly Uint8Array[] {
    const kept = this.#kept.get(path)
    if (kept === undefined) return [piece]
    const earlier = from < kept.start ? NOTHING : kept.bytes.subarray(from - kept.start)
    return [piece, this.withHeld(path, piece), Buffer.concat([earlier, piece])]
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

  /** Call it with the whole content once the piece is in it. */
  keep(path: string, whole: Uint8Array): void {
    this.keepEnd(path, whole, whole.byteLength)
  }

  /** The same with the end of a content of this length. */
  keepEnd(path: string, end: Uint8Array, length: number): void {
    const { held } = this.#scrubber.unfinished(end, 'received')
    const bytes = Buffer.from(end.subarray(Math.max(0, end.byteLength - MOST_KEPT)))
    this.#kept.set(path, { bytes, start: length - bytes.byteLength, held })
  }
}
