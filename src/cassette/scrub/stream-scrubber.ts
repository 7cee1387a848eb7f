/**
 * Scrubs a terminal stream on its way to disk: as many bytes come out as go in, sequences are never touched,
 * and a secret is masked column by column, so the screen stays in place.
 *
 * Found: secrets split over chunks, colours and other sequences that move nothing, lines wrapped by the
 * terminal or by the program at the right edge, and forward moves; also in titles, links and other string
 * sequences. Held back is only what could still become a secret, and it is released by what follows, never by
 * time. Text painted out of order is found when the recording closes (painted-secrets.ts), if `outOfOrder` is set.
 *
 * Decision 0060.
 */
import type { ScrubbedBytes } from '../../scrub/index.ts'
import { concatScrubbed } from '../../scrub/scrubbed-parts.ts'
import { charWidth } from '../terminal/char-width.ts'
import { FlatText } from './flat-text.ts'
import type { SecretFinder } from './secret-finder.ts'
import { isStillCsi, isStillEscape } from './still-sequences.ts'
import {
  addShownString,
  addString,
  columnAfter,
  columnAfterPlain,
  columnAfterText,
  columnBelow,
  MOVING_CONTROLS,
  mayHoldSequence,
} from './stream-bytes.ts'
import type { StreamSource, TerminalScrubber } from './terminal-scrubber.ts'
import { createVtParser } from './vt-parser.ts'

/** A match that is still open after this much text is masked as it is, together with its continuation. */
const MOST_HELD = 64 * 1024
const MOST_REMEMBERED = 1024 * 1024
/**
 * Beyond this much waiting text, look again only when an eighth has been added: a long secret fed byte by
 * byte must not cost its square.
 */
const EAGER = 1024
/** Chunks from this size on are tried whole first. */
const LEAST_PLAIN = 2048
/** Enough of the end of plain lines to detect that a secret may begin there. */
const PLAIN_END = 768
const MOST_HELD_PLAIN = 192
const CLOSER_LOOK = 512
/** Enough on both sides of a cut to detect what lies across it. */
const SEAM = 16
const TOKEN = /^[A-Za-z0-9+/=_.~-]*/

export function createTerminalScrubber(
  finder: SecretFinder,
  initialCols: number,
  source: StreamSource = 'output',
): TerminalScrubber {
  let cols = initialCols
  let held: Buffer = Buffer.alloc(0)
  /** False while `held` is the caller's own memory: it is copied before the first mask. */
  let isOwn = true
  let heldFrom = 0
  let col = 0
  let outOfOrder = false
  /** True while a combining character joins the one before it; otherwise it has a cell of its own. */
  let joins = false
  /**
   * A carriage return at the end of what is known: the next byte decides whether it ends a line or goes back
   * to its beginning.
   */
  let openReturn: number | null = null
  let carrying = false
  let added = 0
  let broken = new FlatText()
  /**
   * The same text with the breaks left out at which a line may go on; there only while such a break is near.
   */
  let joined: FlatText | null = null
  let joinedUntil = 0
  /**
   * The bytes as they are, while a sequence is near: it may swallow the head of a secret that is still in
   * the bytes.
   */
  let asBytes: FlatText | null = null
  let asBytesUntil = 0
  /** Which of the held bytes are text: only those are ever masked for what was found in `asBytes`. */
  let isText: Buffer | null = null

  const masked = new Map<number, number>()
  const maskByte = (at: number, byte: number): void => {
    if (at < heldFrom) return
    if (masked.size < MOST_REMEMBERED && !masked.has(at)) masked.set(at, held[at - heldFrom] ?? 0)
    if (!isOwn) held = Buffer.from(held)
    isOwn = true
    held[at - heldFrom] = byte
  }
  const maskText = (at: number, byte: number): void => {
    if (isText !== null && isText[at - heldFrom] === 1) maskByte(at, byte)
  }
  const markText = (start: number, end: number): void => {
    isText?.fill(1, start - heldFrom, end - heldFrom)
  }
  const both = (write: (flat: FlatText) => void): void => {
    write(broken)
    if (joined !== null) write(joined)
  }
  const joint = (write: (flat: FlatText) => void): void => {
    joined ??= new FlatText(broken)
    joinedUntil = joined.length
    write(broken)
  }
  const jump = (): void => {
    outOfOrder = true
    both((flat) => flat.phantom('\n'))
  }
  const ascii = (text: string, byte: number): void => {
    if (text === '') return
    both((flat) => flat.ascii(text, byte))
  }
  /** A carriage return in the middle of a line: what follows is painted over it. */
  const wentBack = (): void => {
    if (source === 'output') outOfOrder = true
  }
  const advance = (text: string): void => {
    const next = columnAfterText(text, col, cols)
    // A tab in the last column does not move: the text after it goes on where the text before it ended.
    if (next === null) outOfOrder = true
    col = next ?? col + text.length
  }
  const lineEnds = (text: string, byte: number): void => {
    let from = 0
    let lineStart = 0
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', feed + 1)) {
      const hasReturn = text.charCodeAt(feed - 1) === 0x0d
      const firstReturn = text.indexOf('\r', lineStart)
      if (firstReturn !== -1 && firstReturn < feed - 1) wentBack()
      advance(text.slice(lineStart, hasReturn ? feed - 1 : feed))
      if (hasReturn && col > 0 && col % cols === 0) {
        ascii(text.slice(from, feed - 1), byte + from)
        joint((flat) => flat.ascii('\r\n', byte + feed - 1))
        from = feed + 1
      }
      col = hasReturn ? 0 : columnBelow(col, cols)
      lineStart = feed + 1
    }
    advance(text.slice(lineStart))
    if (text.includes('\r', lineStart)) wentBack()
    ascii(from === 0 ? text : text.slice(from), byte + from)
  }

  /** What follows is no line feed: the open carriage return went back over its line. */
  const returned = (): void => {
    if (openReturn === null) return
    const byte = openReturn
    openReturn = null
    if (source === 'output') outOfOrder = true
    col = 0
    ascii('\r', byte)
  }

  const parser = createVtParser({
    plain(bytes, start, end, base) {
      markText(base + start, base + end)
      joins = (bytes[end - 1] ?? 0) >= 0x20
      let text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
      let byte = base + start
      if (carrying) {
        const rest = TOKEN.exec(text)?.[0].length ?? 0
        for (let at = 0; at < rest; at += 1) maskByte(byte + at, 0x2a)
        if (rest < text.length) carrying = false
        text = text.slice(rest)
        byte += rest
      }
      if (openReturn !== null && text.startsWith('\n')) {
        text = `\r${text}`
        byte = openReturn
        openReturn = null
      }
      returned()
      if (source === 'output' && text.endsWith('\r')) {
        openReturn = byte + text.length - 1
        text = text.slice(0, -1)
      }
      lineEnds(text, byte)
    },
    glyph(codePoint, start, end) {
      const width = charWidth(codePoint)
      returned()
      markText(start, end)
      if (width === 0 && !joins) outOfOrder = true
      // A wide character does not fit into the last column.
      if (width === 2 && col % cols === cols - 1) col += 1
      col += width
      joins ||= width > 0
      both((flat) => flat.glyph(String.fromCodePoint(codePoint), start, end - start, width))
    },
    control(code) {
      returned()
      joins = false
      if (source === 'input') {
        if (code === 0x08 || code === 0x7f) both((flat) => flat.unwrite())
        else both((flat) => flat.phantom('\n'))
      } else if (MOVING_CONTROLS.has(code)) jump()
    },
    escape(intermediates, final) {
      returned()
      joins = false
      if (intermediates === '' && 'DEMc78'.includes(final)) jump()
      else if (intermediates === '#') jump()
      else if (!isStillEscape(intermediates, final)) outOfOrder = true
    },
    csi(prefix, params, intermediates, final) {
      returned()
      joins = false
      if (source === 'input') {
        if (final !== '~') both((flat) => flat.phantom('\n'))
        return
      }
      if (final === 'C' && prefix === '' && intermediates === '') {
        const columns = Math.min(Math.max(Number.parseInt(params, 10) || 1, 1), cols)
        col += columns
        outOfOrder = true
        joint((flat) => flat.phantom(' '.repeat(columns)))
      } else if (
        (final === 'H' || final === 'f') &&
        prefix === '' &&
        col > 0 &&
        col % cols === 0 &&
        /^\d*(;1?)?$/.test(params)
      ) {
        outOfOrder = true
        col = 0
        joint((flat) => flat.phantom('\n'))
      } else if (prefix === '' && 'ABDEFGHIZ`adefjkLMPSTX@brsu'.includes(final)) {
        col = columnAfter(final, params)
        jump()
      } else if ((final === 'h' || final === 'l') && /(^|;)(4|6|7|47|69|1047|1048|1049)(;|$)/.test(params))
        jump()
      else if (intermediates !== '' && final !== 'q' && final !== 'p') jump()
      else if (!isStillCsi(prefix, params, intermediates, final)) outOfOrder = true
    },
    string(text, start) {
      const flat = new FlatText()
      addString(flat, text, start)
      flat.mask(finder, true, 'title or other string sequence', maskByte)
      const shown = new FlatText()
      if (addShownString(shown, text, start))
        shown.mask(finder, true, 'title or other string sequence', maskByte)
    },
    broken() {
      outOfOrder = true
    },
    joinEnds() {
      joins = false
    },
  })

  /** Nothing is open, and what is held is no secret together with these bytes, which follow it. */
  const isQuiet = (bytes: Uint8Array): boolean => {
    if (joined !== null || asBytes !== null || openReturn !== null || carrying || !parser.isIdle) return false
    if (held.byteLength > MOST_HELD_PLAIN) return false
    const before = Buffer.from(broken.tail.slice(-held.byteLength - SEAM), 'latin1')
    return !finder.mayHold(Buffer.concat([before, bytes.subarray(0, SEAM)]))
  }
  /** Passes plain lines in which no rule has a place to check. Null where they need a closer look. */
  const passPlain = (given: Uint8Array): readonly ScrubbedBytes[] | null => {
    const { byteLength } = given
    const bytes = Buffer.from(given.buffer, given.byteOffset, byteLength)
    const nextCol = columnAfterPlain(bytes, col, cols)
    if (nextCol === null || finder.mayHold(bytes)) return null
    const end = bytes.toString('latin1', byteLength - PLAIN_END)
    const { spans, certain } = finder.find(end, false)
    const rest = end.length - certain
    if (spans.length > 0 || rest > MOST_HELD_PLAIN) return null
    col = nextCol
    joins = (bytes[byteLength - 1] ?? 0) >= 0x20
    parser.skip(byteLength)
    const before = held
    heldFrom += before.byteLength + byteLength - rest
    broken = new FlatText()
    broken.ascii(end, heldFrom + rest - end.length)
    broken.forget(certain)
    held = Buffer.from(bytes.subarray(byteLength - rest))
    isOwn = true
    return [before, bytes.subarray(0, byteLength - rest)] as readonly Uint8Array[] as readonly ScrubbedBytes[]
  }
  /** The same where only the end needs a closer look. */
  const passHead = (given: Uint8Array): readonly ScrubbedBytes[] => {
    const length = given.byteLength - CLOSER_LOOK
    const passed = length < LEAST_PLAIN ? null : passPlain(given.subarray(0, length))
    return passed === null ? [pushOne(given)] : [...passed, pushOne(given.subarray(length))]
  }

  const release = (upTo: number): ScrubbedBytes => {
    const count = Math.max(0, Math.min(upTo, heldFrom + held.byteLength) - heldFrom)
    const out = held.subarray(0, count)
    held = held.subarray(count)
    // Nothing is kept of the caller's memory, which may be used again.
    if (!isOwn && held.byteLength > 0) {
      held = Buffer.from(held)
      isOwn = true
    }
    isText = asBytes === null ? null : (isText?.subarray(count) ?? null)
    heldFrom += count
    return out as Uint8Array as ScrubbedBytes
  }
  const settle = (final: boolean): number => {
    added = 0
    let certain = broken.mask(finder, final, source, maskByte)
    if (!final && broken.length - certain > MOST_HELD) {
      broken.maskFrom(certain, maskByte)
      certain = broken.length
      carrying = true
    }
    let wait = broken.byteFrom(certain)
    if (joined !== null) {
      const joinedCertain = joined.mask(finder, final, source, maskByte)
      const joinedWait = joined.byteFrom(joinedCertain)
      if (joinedWait !== null && (wait === null || joinedWait < wait)) wait = joinedWait
      if (joined.length - joinedCertain > MOST_HELD || joinedCertain > joinedUntil + 256) joined = null
      else joinedUntil -= joined.forget(Math.min(joinedCertain, joinedUntil))
    }
    if (asBytes !== null) {
      const bytesCertain = asBytes.mask(finder, final, source, maskText)
      const bytesWait = asBytes.byteFrom(bytesCertain)
      if (bytesWait !== null && (wait === null || bytesWait < wait)) wait = bytesWait
      if (asBytes.length - bytesCertain > MOST_HELD || bytesCertain > asBytesUntil + 256) asBytes = null
      else asBytesUntil -= asBytes.forget(Math.min(bytesCertain, asBytesUntil))
    }
    broken.forget(certain)
    const open = parser.openString
    if (final) return Number.POSITIVE_INFINITY
    return Math.min(
      wait ?? Number.POSITIVE_INFINITY,
      open ?? Number.POSITIVE_INFINITY,
      openReturn ?? Number.POSITIVE_INFINITY,
      parser.offset,
    )
  }

  const pushOne = (bytes: Uint8Array): ScrubbedBytes => {
    const from = heldFrom + held.byteLength
    const before = held.byteLength
    isOwn = before > 0
    held =
      before > 0
        ? Buffer.concat([held, bytes])
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const isSpecial = mayHoldSequence(bytes)
    if (asBytes !== null || isSpecial) {
      if (asBytes === null) isText = Buffer.alloc(before, 1)
      asBytes ??= new FlatText(broken)
      asBytes.ascii(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), from)
      isText = Buffer.concat([isText ?? Buffer.alloc(before, 1), Buffer.alloc(bytes.byteLength)])
      if (isSpecial) asBytesUntil = asBytes.length
    }
    parser.parse(held.subarray(held.byteLength - bytes.byteLength))
    added += bytes.byteLength
    const known = broken.length - added
    if (known > EAGER && added * 8 < known && broken.length <= MOST_HELD) return release(heldFrom)
    return release(settle(false))
  }
  const pushParts = (given: Uint8Array): readonly ScrubbedBytes[] => {
    if (source !== 'output' || given.byteLength < LEAST_PLAIN) return [pushOne(given)]
    if (given[given.byteLength - 1] === 0x0d)
      return [...pushParts(given.subarray(0, -1)), pushOne(given.subarray(-1))]
    if (isQuiet(given)) return passPlain(given) ?? passHead(given)
    // What is open is settled by the next line end at the latest.
    const feed = given.indexOf(0x0a)
    if (feed === -1 || feed > given.byteLength - LEAST_PLAIN) return [pushOne(given)]
    const first = pushOne(given.subarray(0, feed + 1))
    const rest = given.subarray(feed + 1)
    return [first, ...(isQuiet(rest) ? (passPlain(rest) ?? passHead(rest)) : [pushOne(rest)])]
  }

  return {
    get outOfOrder() {
      return outOfOrder
    },
    get held() {
      return held.byteLength
    },
    masked,
    get tail() {
      return broken.tail
    },
    resize(next) {
      // The emulator lays out again what it shows.
      if (next !== cols && parser.offset > 0) outOfOrder = true
      cols = next
    },
    push(given) {
      const parts = pushParts(given)
      return parts.length === 1 && parts[0] !== undefined ? parts[0] : concatScrubbed(parts)
    },
    pushParts,
    end() {
      parser.end()
      if (openReturn !== null) ascii('\r', openReturn)
      openReturn = null
      return release(settle(true))
    },
  }
}
