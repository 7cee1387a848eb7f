/**
 * Scrubs content that a program appends to a file, in pieces. If the content ends with the beginning of a
 * secret, `<redacted:unfinished>` replaces that. So the last 64 KiB are held back until the end is known.
 */
import type { ScrubbedBytes, Scrubber, StreamScrubber } from '../../scrub/index.ts'
import { concatScrubbed, scrubbedText, scrubbedUtf8 } from '../../scrub/scrubbed-parts.ts'

export const UNFINISHED = scrubbedUtf8(scrubbedText`<redacted:unfinished>`)
export const MOST_KEPT = 64 * 1024

export class AppendedStream implements Pick<StreamScrubber, 'push' | 'end'> {
  readonly #scrubber: Scrubber
  readonly #stream: StreamScrubber
  #last: Uint8Array = new Uint8Array()

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber
    this.#stream = scrubber.stream('received')
  }

  /** The end of the content, as it is: at most 64 KiB. */
  get last(): Uint8Array {
    return this.#last
  }

  push(bytes: Uint8Array): ScrubbedBytes {
    const all = this.#last.byteLength === 0 ? bytes : Buffer.concat([this.#last, bytes])
    const start = Math.max(0, all.byteLength - MOST_KEPT)
    this.#last = Uint8Array.from(all.subarray(start))
    return this.#stream.push(all.subarray(0, start))
  }

  end(): ScrubbedBytes {
    const { masked } = this.#scrubber.unfinished(this.#last, 'received')
    const certain = this.#stream.push(this.#last.subarray(0, this.#last.byteLength - masked))
    const rest = [certain, this.#stream.end()]
    if (masked === 0) return concatScrubbed(rest)
    this.#scrubber.note('unfinished', '', 'file')
    return concatScrubbed([...rest, UNFINISHED])
  }
}
