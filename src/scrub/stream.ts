/**
 * Scrubs bytes that arrive in chunks. A secret split at any offset is found: its possible beginning is held
 * back until the next chunk, or the end, decides.
 *
 * Works on one character per byte, so binary data is not changed and no multi-byte character is split. A
 * chunk without any offset to check is passed on without being decoded, if nothing is held. The held text is
 * bounded: a match that is still open at the limit is replaced as it is, and its rest is dropped up to the
 * first byte that cannot belong to it.
 */
import { type CharClass, charClass, runEnd } from './char-class.ts'
import { CONTEXT, RecentBytes } from './recent-bytes.ts'
import type { Replacer } from './replacer.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { Side, StreamScrubber } from './scrubber.ts'

/** Maximum for text with line breaks: a secret of 64 KiB in plain text. */
const MOST_HELD = 72 * 1024
/** Maximum for one line: a secret of 64 KiB in base64, URL-encoded, or with escaped line breaks. */
const MOST_HELD_OF_LINE = 256 * 1024
/**
 * Below this much held text every chunk is scanned. Above it, only after the text has grown by an eighth:
 * otherwise a long match that arrives byte by byte would take quadratic time.
 */
const EAGER = 1024
/** Below this length scanning the bytes costs what it saves. */
const SHORTEST_PASSED = 32
const REST_OF_TOKEN: CharClass = charClass('a-z', 'A-Z', '0-9', '+/=_-.~')
const REST_OF_PEM: CharClass = charClass('a-z', 'A-Z', '0-9', '+/=\r\n\\ ')

/** What a chunk must not have to be passed on as it is: places of rules, or names of fields too, or it is known to have neither. */
type Search = 0 | 1 | 2
const RULES: Search = 0
const NAMES: Search = 1
const MAY_HOLD_IS_FALSE: Search = 2

/** `isUsedAtOnce`: the result may be the chunk itself. */
export function createStream(replacer: Replacer, side: Side, isUsedAtOnce = false): StreamScrubber {
  return new Stream(replacer, side, isUsedAtOnce)
}

/**
 * Lets a stream continue after bytes that were scrubbed before, without searching them. False if they continue
 * something that was pushed: then they must be pushed, too. No method, because a caller of the package has no
 * such bytes.
 */
export function passScrubbed(stream: StreamScrubber, bytes: ScrubbedBytes): boolean {
  return stream instanceof Stream && stream.pass(bytes)
}

/**
 * The result of `push` for bytes without a place to check and without the name of a field; null if `push` must be
 * called.
 */
export function passClear(stream: StreamScrubber, bytes: Uint8Array): ScrubbedBytes | null {
  return stream instanceof Stream ? stream.passClear(bytes) : null
}

/** A class: one is made for each body, and V8 takes 1 to 10 µs for an object literal with a getter. */
class Stream implements StreamScrubber {
  readonly #replacer: Replacer
  readonly #side: Side
  readonly #isUsedAtOnce: boolean
  /** A name or a boundary before a secret counts. */
  readonly #recent = new RecentBytes()
  #passed = 0
  #held = ''
  #added = 0
  #dropping: CharClass | null = null
  /** The next bytes continue a data URI whose beginning is no longer in the context. */
  #inMedia = false
  /** The version of the rules for which the context has no offset to check; -1 if unknown. */
  #clearAt = -1

  constructor(replacer: Replacer, side: Side, isUsedAtOnce: boolean) {
    this.#replacer = replacer
    this.#side = side
    this.#isUsedAtOnce = isUsedAtOnce
  }

  get held(): number {
    return this.#held.length
  }

  push(chunk: Uint8Array, isClear = false): ScrubbedBytes {
    const whole = this.#passWhole(chunk, isClear ? MAY_HOLD_IS_FALSE : RULES)
    if (whole !== null) return whole
    let text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    if (this.#dropping !== null) {
      const end = runEnd(this.#dropping, text, 0)
      if (end < text.length) this.#dropping = null
      text = text.slice(end)
    }
    this.#held += text
    this.#added += text.length
    const held = this.#held
    if (
      held.length - this.#added > EAGER &&
      this.#added * 8 < held.length &&
      held.length <= mostHeld(held, 0)
    )
      return asScrubbed<Uint8Array>(new Uint8Array(0))
    return this.#take(false)
  }

  pass(scrubbed: ScrubbedBytes): boolean {
    if (this.#held !== '' || this.#dropping !== null || this.#inMedia) return false
    const text =
      this.#recent.text +
      Buffer.from(scrubbed.buffer, scrubbed.byteOffset, scrubbed.byteLength).toString('latin1')
    // The next bytes may continue a data URI: only `push` knows where it ends.
    if (text.includes(';base64,')) return false
    this.#recent.set(text)
    this.#passed += scrubbed.byteLength
    this.#clearAt = -1
    return true
  }

  /** Returned bytes never change: if nothing is held, nothing is left to return. */
  end(): ScrubbedBytes {
    return this.#held === '' ? asScrubbed<Uint8Array>(new Uint8Array(0)) : this.#take(true)
  }

  passClear(bytes: Uint8Array): ScrubbedBytes | null {
    return this.#passWhole(bytes, NAMES)
  }

  /** The result of `#take` if it would find no offset to check; null if `#take` must be called. */
  #passWhole(chunk: Uint8Array, search: Search): ScrubbedBytes | null {
    if (chunk.byteLength < SHORTEST_PASSED || this.#held !== '' || this.#dropping !== null || this.#inMedia)
      return null
    const { finder } = this.#replacer
    const side = this.#side
    const recent = this.#recent
    if (this.#clearAt !== finder.version && !finder.isClearText(recent.text, side)) return null
    this.#clearAt = finder.version
    const isClear =
      search === MAY_HOLD_IS_FALSE
        ? finder.isClearAt(recent, chunk, side)
        : finder.isClear(recent, '', chunk, side, search === NAMES)
    if (!isClear || !this.#endsClear(chunk)) return null
    recent.add(chunk)
    this.#passed += chunk.byteLength
    return asScrubbed<Uint8Array>(
      this.#isUsedAtOnce ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.from(chunk),
    )
  }

  /** Whether no secret may begin at the end of the chunk, which has no place to check. */
  #endsClear(chunk: Uint8Array): boolean {
    const { finder } = this.#replacer
    const undecided = finder.undecidedAtEnd(chunk, this.#side)
    if (undecided >= 0) return undecided === 0
    const next = this.#recent.textWith(chunk)
    return finder.certainOfClear(next, this.#side) === next.length
  }

  #take(final: boolean): ScrubbedBytes {
    const replacer = this.#replacer
    const side = this.#side
    const context = this.#recent.text
    this.#added = 0
    this.#clearAt = -1
    const from = this.#passed - context.length
    const window = replacer.window(context + this.#held, side, final, from, context.length, this.#inMedia)
    let { text, certain } = window
    certain = final ? text.length : Math.max(context.length, certain)
    if (text.length - certain > mostHeld(text, certain)) {
      const last = text[text.length - 1] ?? ''
      const isPem = text.startsWith('-----BEGIN', certain)
      text = replacer.window(text, side, true, from, context.length, this.#inMedia).text
      // The rest of the match follows only if it reached the last byte.
      if (text.endsWith('>') && last !== '>') this.#dropping = isPem ? REST_OF_PEM : REST_OF_TOKEN
      certain = text.length
    }
    this.#inMedia = window.inMedia && text.length === window.text.length
    const out = text.slice(context.length, certain)
    this.#passed += out.length
    this.#held = text.slice(certain)
    this.#recent.set(text.slice(Math.max(0, certain - CONTEXT), certain))
    return asScrubbed<Uint8Array>(Buffer.from(out, 'latin1'))
  }
}

function mostHeld(text: string, from: number): number {
  return text.length - from <= MOST_HELD || text.includes('\n', from) ? MOST_HELD : MOST_HELD_OF_LINE
}
