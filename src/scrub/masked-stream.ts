/**
 * Scrubs the bytes of a protocol that counts them: a secret is replaced by a mask of the same length, so that
 * a reader finds every field at its offset. A secret split at any offset is found: its possible beginning is
 * held back until the next chunk, or the end, decides.
 *
 * A mask shows the length of the secret. docs/limits.md lists where masks are used.
 *
 * Decision 0321.
 */
import { CONTEXT, RecentBytes } from './recent-bytes.ts'
import type { Replacer } from './replacer.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { Side, StreamScrubber } from './scrubber.ts'

/** Maximum number of bytes held back. Of a longer secret, the held part is masked. */
const MOST_HELD = 72 * 1024
const SHORTEST_PASSED = 32
/** Bytes after which a chunk may be searched alone. More of them are the beginning of something. */
const MOST_HELD_CLEAR = 16
const MASK = '*'

export function createMaskedStream(replacer: Replacer, side: Side): StreamScrubber {
  return new MaskedStream(replacer, side)
}

class MaskedStream implements StreamScrubber {
  readonly #replacer: Replacer
  readonly #side: Side
  /** What has been returned: a name or a boundary before a secret counts. */
  readonly #recent = new RecentBytes()
  #held = ''
  /** The version of the rules for which context and held bytes have no offset to check; -1 if unknown. */
  #clearAt = -1

  constructor(replacer: Replacer, side: Side) {
    this.#replacer = replacer
    this.#side = side
  }

  get held(): number {
    return this.#held.length
  }

  push(chunk: Uint8Array): ScrubbedBytes {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const whole = this.#passWhole(bytes)
    if (whole !== null) return asScrubbed<Uint8Array>(whole)
    this.#held += bytes.toString('latin1')
    return this.#take(false)
  }

  end(): ScrubbedBytes {
    return this.#held === '' ? asScrubbed<Uint8Array>(new Uint8Array(0)) : this.#take(true)
  }

  /** The result of `#take` if it would find no offset to check; null if `#take` must be called. */
  #passWhole(chunk: Buffer): Buffer | null {
    const held = this.#held
    if (chunk.length < SHORTEST_PASSED || held.length > MOST_HELD_CLEAR) return null
    const { finder } = this.#replacer
    const recent = this.#recent
    if (this.#clearAt !== finder.version && !finder.isClearText(recent.text + held, this.#side)) return null
    this.#clearAt = finder.version
    if (!finder.isClear(recent, held, chunk, this.#side)) return null
    const undecided = this.#undecidedAfter(chunk)
    if (undecided < 0) return null
    const passed = chunk.length - undecided
    const bytes = Buffer.allocUnsafe(held.length + passed)
    bytes.write(held, 'latin1')
    chunk.copy(bytes, held.length, 0, passed)
    this.#held = undecided === 0 ? '' : chunk.toString('latin1', passed)
    recent.add(bytes)
    return bytes
  }

  /** How many bytes at the end of the chunk may be the beginning of a secret; -1 if not all before it can be passed. */
  #undecidedAfter(chunk: Buffer): number {
    const { finder } = this.#replacer
    const undecided = finder.undecidedAtEnd(chunk, this.#side)
    if (undecided >= 0) return undecided
    const text = this.#recent.text + this.#held + chunk.toString('latin1')
    const certain = finder.exactlyCertainOfClear(text, this.#side)
    return certain < 0 || text.length - certain > chunk.length ? -1 : text.length - certain
  }

  #take(final: boolean): ScrubbedBytes {
    this.#clearAt = -1
    const context = this.#recent.text
    const held = this.#held
    const text = context + held
    const found = this.#replacer.finder.find(text, this.#side, final)
    const isFull = held.length > MOST_HELD
    const certain = final || isFull ? text.length : Math.max(context.length, found.certain)
    let masked = ''
    let at = context.length
    for (const span of found.spans) {
      const [from, to] = [Math.max(span.start, at), Math.min(span.end, certain)]
      if (from >= to) continue
      const shown = this.#replacer.placeholder(span, text.slice(span.start, span.end), 'stream')
      masked += text.slice(at, from) + (shown.length === to - from ? shown : MASK.repeat(to - from))
      at = to
    }
    masked += text.slice(at, certain)
    this.#recent.set((context + masked).slice(-CONTEXT))
    this.#held = text.slice(certain)
    return asScrubbed<Uint8Array>(Buffer.from(masked, 'latin1'))
  }
}
