/** The scrubber of a terminal stream as its callers see it: stream-scrubber.ts makes one. */
import type { ScrubbedBytes } from '../../scrub/index.ts'

export type TerminalScrubber = {
  /** Bytes that are certain by now. */
  push(bytes: Uint8Array): ScrubbedBytes
  /** The same in a few parts, which saves a copy of a large chunk. */
  pushParts(bytes: Uint8Array): readonly ScrubbedBytes[]
  resize(cols: number): void
  end(): ScrubbedBytes
  /**
   * True once the screen may show other text than the stream has, in its order: the cursor has moved other
   * than forward, or something came of which the scrubber does not know that it changes no text.
   */
  readonly outOfOrder: boolean
  readonly held: number
  /**
   * The text that each mask replaced, by position; in memory only. A secret of which one half was masked is
   * found on the screen by its whole.
   */
  readonly masked: ReadonlyMap<number, number>
  /** The end of the visible text so far, held or not: for looking, not for writing. */
  readonly tail: string
}

export type StreamSource = 'output' | 'input'
