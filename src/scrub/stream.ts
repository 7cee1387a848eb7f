/**
 * Bytes that come in chunks. A secret split at any offset is found: what may be its beginning is held back
 * until the next chunk decides, or the end.
 *
 * Works on one character per byte, so binary data passes unharmed and no multi-byte character is torn. A
 * chunk at which no rule has to look, nothing being held, is passed on without being made text of. What is
 * held is bounded: a match that is still open then is replaced as it stands, and what follows of it is
 * dropped up to the first byte that can't belong to it.
 */
import { type CharClass, charClass, runEnd } from './char-class.ts'
import type { Replacer } from './replacer.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { Side, StreamScrubber } from './scrubber.ts'

/** Of text with line breaks in it: a secret of 64 KiB as it is. */
const MOST_HELD = 72 * 1024
/** Of one line: a secret of 64 KiB in base64, URL-encoded, or with escaped line breaks. */
const MOST_HELD_OF_LINE = 256 * 1024
/** What is kept of the text before, since a name or a boundary before a secret counts. */
const CONTEXT = 512
/**
 * Below this much held text every chunk is looked at; above, once an eighth has been added, or a long match
 * fed byte by byte would cost its square.
 */
const EAGER = 1024
/** Below this a look at the bytes costs what it saves. */
const SHORTEST_PASSED = 32
const REST_OF_TOKEN: CharClass = charClass('a-z', 'A-Z', '0-9', '+/=_-.~')
const REST_OF_PEM: CharClass = charClass('a-z', 'A-Z', '0-9', '+/=\r\n\\ ')

export function createStream(replacer: Replacer, side: Side): StreamScrubber {
  let context = ''
  let passed = 0
  let held = ''
  let added = 0
  let dropping: CharClass | null = null
  /** What comes next goes on a data URI whose beginning has left the context. */
  let inMedia = false
  /**
   * The version of the rules by which no rule has to look anywhere in the context; -1 if that is not known.
   */
  let clearAt = -1
  const { finder } = replacer

  /** What would come out of `take` if it found no place at which to look; null where it has to be asked. */
  const passWhole = (chunk: Uint8Array): ScrubbedBytes | null => {
    if (chunk.byteLength < SHORTEST_PASSED || held !== '' || dropping !== null || inMedia) return null
    if (clearAt !== finder.version && !finder.isClearText(context, side)) return null
    clearAt = finder.version
    if (!finder.isClear(context, chunk, side)) return null
    const bytes = Buffer.from(chunk)
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
      // Only if the match ran up to the last byte does something of it follow.
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
    push(chunk) {
      const whole = passWhole(chunk)
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
    // What has been given out never changes: with nothing held there is nothing left to say.
    end: () => (held === '' ? asScrubbed<Uint8Array>(new Uint8Array(0)) : take(true)),
  }
}

function mostHeld(text: string, from: number): number {
  return text.length - from <= MOST_HELD || text.includes('\n', from) ? MOST_HELD : MOST_HELD_OF_LINE
}
