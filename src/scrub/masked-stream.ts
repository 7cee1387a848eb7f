/**
 * Scrubs the bytes of a protocol that counts them: a secret is replaced by a mask of the same length, so that
 * a reader finds every field at its offset. A secret split at any offset is found: its possible beginning is
 * held back until the next chunk, or the end, decides.
 *
 * A mask shows the length of the secret. docs/limits.md lists where masks are used.
 *
 * Decision 0321.
 */
import type { Replacer } from './replacer.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { Side, StreamScrubber } from './scrubber.ts'

/** Length of the preceding text that is kept, because a name or a boundary before a secret counts. */
const CONTEXT = 512
/** Maximum number of bytes held back. Of a longer secret, the held part is masked. */
const MOST_HELD = 72 * 1024
const SHORTEST_PASSED = 32
/** Bytes after which a chunk may be searched alone. More of them are the beginning of something. */
const MOST_HELD_CLEAR = 16
const MASK = '*'

export function createMaskedStream(replacer: Replacer, side: Side): StreamScrubber {
  const { finder } = replacer
  let context = ''
  let held = ''
  /** The version of the rules for which context and held bytes have no offset to check; -1 if unknown. */
  let clearAt = -1

  /** The result of `take` if it would find no offset to check; null if `take` must be called. */
  const passWhole = (chunk: Buffer): ScrubbedBytes | null => {
    if (chunk.length < SHORTEST_PASSED || held.length > MOST_HELD_CLEAR) return null
    const before = context + held
    if (clearAt !== finder.version && !finder.isClearText(before, side)) return null
    clearAt = finder.version
    if (!finder.isClear(before, chunk, side)) return null
    const text = before + chunk.toString('latin1')
    const found = finder.exactlyCertainOfClear(text, side)
    if (found < 0) return null
    const certain = Math.max(context.length, found)
    const passed = text.slice(context.length, certain)
    context = text.slice(Math.max(0, certain - CONTEXT), certain)
    held = text.slice(certain)
    return asScrubbed<Uint8Array>(Buffer.from(passed, 'latin1'))
  }

  const take = (final: boolean): ScrubbedBytes => {
    clearAt = -1
    const text = context + held
    const found = finder.find(text, side, final)
    const isFull = held.length > MOST_HELD
    const certain = final || isFull ? text.length : Math.max(context.length, found.certain)
    let masked = ''
    let at = context.length
    for (const span of found.spans) {
      const [from, to] = [Math.max(span.start, at), Math.min(span.end, certain)]
      if (from >= to) continue
      const shown = replacer.placeholder(span, text.slice(span.start, span.end), 'stream')
      masked += text.slice(at, from) + (shown.length === to - from ? shown : MASK.repeat(to - from))
      at = to
    }
    masked += text.slice(at, certain)
    context = (context + masked).slice(-CONTEXT)
    held = text.slice(certain)
    return asScrubbed<Uint8Array>(Buffer.from(masked, 'latin1'))
  }

  return {
    get held() {
      return held.length
    },
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      const whole = passWhole(bytes)
      if (whole !== null) return whole
      held += bytes.toString('latin1')
      return take(false)
    },
    end: () => (held === '' ? asScrubbed<Uint8Array>(new Uint8Array(0)) : take(true)),
  }
}
