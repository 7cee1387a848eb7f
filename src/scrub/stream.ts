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
import type { Replacer } from './replacer.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { Side, StreamScrubber } from './scrubber.ts'

/** Maximum for text with line breaks: a secret of 64 KiB in plain text. */
const MOST_HELD = 72 * 1024
/** Maximum for one line: a secret of 64 KiB in base64, URL-encoded, or with escaped line breaks. */
const MOST_HELD_OF_LINE = 256 * 1024
/** Length of the preceding text that is kept, because a name or a boundary before a secret counts. */
const CONTEXT = 512
/**
 * Below this much held text every chunk is scanned. Above it, only after the text has grown by an eighth:
 * otherwise a long match that arrives byte by byte would take quadratic time.
 */
const EAGER = 1024
/** Below this length scanning the bytes costs what it saves. */
const SHORTEST_PASSED = 32
const REST_OF_TOKEN: CharClass = charClass('a-z', 'A-Z', '0-9', '+/=_-.~')
const REST_OF_PEM: CharClass = charClass('a-z', 'A-Z', '0-9', '+/=\r\n\\ ')

/** `isUsedAtOnce`: the result may be the chunk itself. */
export function createStream(replacer: Replacer, side: Side, isUsedAtOnce = false): StreamScrubber {
  let context = ''
  let passed = 0
  let held = ''
  let added = 0
  let dropping: CharClass | null = null
  /** The next bytes continue a data URI whose beginning is no longer in the context. */
  let inMedia = false
  /** The version of the rules for which the context has no offset to check; -1 if unknown. */
  let clearAt = -1
  const { finder } = replacer

  /** The result of `take` if it would find no offset to check; null if `take` must be called. */
  const passWhole = (chunk: Uint8Array, isClear: boolean): ScrubbedBytes | null => {
    if (chunk.byteLength < SHORTEST_PASSED || held !== '' || dropping !== null || inMedia) return null
    if (clearAt !== finder.version && !finder.isClearText(context, side)) return null
    clearAt = finder.version
    if (!finder.isClear(context, chunk, side, isClear)) return null
    const bytes = isUsedAtOnce
      ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      : Buffer.from(chunk)
    const next =
      bytes.length >= CONTEXT
        ? bytes.toString('latin1', bytes.length - CONTEXT)
        : (context + bytes.toString('latin1')).slice(-CONTEXT)
    if (finder.certainOfClear(next, side) < next.length) return null
    context = next
    passed += bytes.length
    return asScrubbed<Uint8Array>(bytes)
  }

  const take = (final: boolean): ScrubbedBytes => {
    added = 0
    clearAt = -1
    const window = replacer.window(
      context + held,
      side,
      final,
      passed - context.length,
      context.length,
      inMedia,
    )
    let { text, certain } = window
    certain = final ? text.length : Math.max(context.length, certain)
    if (text.length - certain > mostHeld(text, certain)) {
      const last = text[text.length - 1] ?? ''
      const isPem = text.startsWith('-----BEGIN', certain)
      text = replacer.window(text, side, true, passed - context.length, context.length, inMedia).text
      // The rest of the match follows only if it reached the last byte.
      if (text.endsWith('>') && last !== '>') dropping = isPem ? REST_OF_PEM : REST_OF_TOKEN
      certain = text.length
    }
    inMedia = window.inMedia && text.length === window.text.length
    const out = text.slice(context.length, certain)
    passed += out.length
    held = text.slice(certain)
    context = text.slice(Math.max(0, certain - CONTEXT), certain)
    return asScrubbed<Uint8Array>(Buffer.from(out, 'latin1'))
  }

  return {
    get held() {
      return held.length
    },
    push(chunk, isClear = false) {
      const whole = passWhole(chunk, isClear)
      if (whole !== null) return whole
      let text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
      if (dropping !== null) {
        const end = runEnd(dropping, text, 0)
        if (end < text.length) dropping = null
        text = text.slice(end)
      }
      held += text
      added += text.length
      if (held.length - added > EAGER && added * 8 < held.length && held.length <= mostHeld(held, 0))
        return asScrubbed<Uint8Array>(new Uint8Array(0))
      return take(false)
    },
    // Returned bytes never change: if nothing is held, nothing is left to return.
    end: () => (held === '' ? asScrubbed<Uint8Array>(new Uint8Array(0)) : take(true)),
  }
}

function mostHeld(text: string, from: number): number {
  return text.length - from <= MOST_HELD || text.includes('\n', from) ? MOST_HELD : MOST_HELD_OF_LINE
}
