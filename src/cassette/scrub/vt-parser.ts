/**
 * Splits a terminal stream into what is printed and what is not, with the byte range of each, whatever the
 * chunks. The states are those of the emulator's own parser, character by character: where the two disagree
 * about the end of a sequence, text is on the screen that the search takes for a part of the sequence.
 * emulator-states.test.ts compares them.
 *
 * Nothing is interpreted here beyond that: where text lands on the screen is the listener's business.
 *
 * Decision 0265.
 */
import { decodedUtf8, utf8Length } from './utf8.ts'

export type VtListener = {
  /**
   * Bytes 0x20 to 0x7e, tab, line feed and carriage return: `[start, end)` of `bytes`, which begin at `base`
   * in the stream.
   */
  plain(bytes: Uint8Array, start: number, end: number, base: number): void
  /** One character beyond ASCII. Offsets count from the beginning of the stream, here and below. */
  glyph(codePoint: number, start: number, end: number): void
  /** A control character of C0 or C1, also one inside a sequence. */
  control(codePoint: number): void
  escape(intermediates: string, final: string): void
  csi(prefix: string, params: string, intermediates: string, final: string): void
  /**
   * The whole text of an OSC, DCS, APC, PM or SOS sequence, or a mebibyte of it. A longer text comes in
   * parts, each of which begins with the end of the part before it.
   */
  string(text: Uint8Array, start: number): void
  /** A sequence that no terminal understands was left behind. */
  broken(): void
  /** Neither a combining character nor a repetition joins the character before this. */
  joinEnds?(): void
}

export type VtParser = {
  parse(bytes: Uint8Array): void
  /** Where the string sequence began that is still open, or null. */
  readonly openString: number | null
  /** How many bytes have been parsed, without an unfinished character at the end. */
  readonly offset: number
  /** True between two sequences and two characters. */
  readonly isIdle: boolean
  /** Counts bytes that another component has parsed: plain bytes, while idle. */
  skip(bytes: number): void
  /** The stream ends: an open string is passed on as it is. */
  end(): void
}

const GROUND = 0
const ESCAPE = 1
const CSI = 2
/** These four are the string sequences. A DCS has a head like that of a CSI sequence. */
const OSC = 3
const DCS_HEAD = 4
const DCS = 5
const PRIVATE = 6

/** Parts of the head of a CSI or DCS sequence. */
const ENTRY = 0
const PARAMS = 1
const INTERMEDIATES = 2
const IGNORED = 3

const MAX_STRING = 1024 * 1024
/** A secret in a longer string is found if it is not longer than this. */
const STRING_OVERLAP = 64 * 1024
const MAX_CSI = 4096
/** The emulator knows sequences of at most two. */
const MAX_INTERMEDIATES = 8
const PLAIN = new Uint8Array(256)
for (let byte = 0x20; byte < 0x7f; byte += 1) PLAIN[byte] = 1
for (const byte of [0x09, 0x0a, 0x0d]) PLAIN[byte] = 1

export function createVtParser(listener: VtListener): VtParser {
  let state = GROUND
  let part = ENTRY
  let base = 0
  let sequence = ''
  let string: number[] = []
  let stringStart = 0
  let utf8: number[] = []
  let utf8Needs = 0

  const beginString = (at: number, kind: number): void => {
    state = kind
    part = ENTRY
    string = []
    stringStart = at
  }
  const endString = (): void => {
    if (string.length > 0) listener.string(Uint8Array.from(string), stringStart)
    string = []
    state = GROUND
  }
  /** The end of an OSC or DCS that the emulator acts on. */
  const closeString = (): void => {
    const acts = state === OSC || (state === DCS && part !== IGNORED)
    endString()
    if (acts) listener.joinEnds?.()
  }
  const begin = (introducer: string, at: number): boolean => {
    if (introducer === '[') {
      state = CSI
      part = ENTRY
      sequence = ''
    } else if (introducer === ']') beginString(at, OSC)
    else if (introducer === 'P') beginString(at, DCS_HEAD)
    else if ('X^_'.includes(introducer)) beginString(at, PRIVATE)
    else return false
    return true
  }
  const endCsi = (final: string): void => {
    state = GROUND
    const match = part === IGNORED ? null : /^([<-?]?)([0-9:;]*)([ -/]*)$/.exec(sequence)
    if (match === null) listener.broken()
    else listener.csi(match[1] ?? '', match[2] ?? '', match[3] ?? '', final)
  }
  const c1 = (codePoint: number, at: number): void => {
    // Every control character of C1 ends a string, but only the terminator ends it well.
    if (codePoint === 0x9c) closeString()
    else endString()
    if (begin(String.fromCharCode(codePoint - 0x40), at)) return
    if (codePoint !== 0x9c) listener.control(codePoint)
  }
  /** A character beyond ASCII, whole. */
  const character = (codePoint: number, start: number, end: number): void => {
    const isC1 = codePoint < 0xa0
    // The bytes of the character are in the string by now.
    if (state >= OSC && (isC1 || state === DCS_HEAD || state === PRIVATE))
      string.length -= Math.min(string.length, end - start)
    if (isC1) c1(codePoint, end)
    else if (state === GROUND) listener.glyph(codePoint, start, end)
    else if (state === DCS_HEAD || state === PRIVATE) {
      // The emulator's states have no such character here, and give the sequence up.
      endString()
      listener.broken()
    } else if (state === ESCAPE || (state === CSI && part !== IGNORED)) {
      state = GROUND
      listener.broken()
    }
  }
  const inEscape = (byte: number, at: number): void => {
    const char = String.fromCharCode(byte)
    if (byte < 0x30) {
      if (sequence.length < MAX_INTERMEDIATES) sequence += char
      return
    }
    if (sequence === '' && begin(char, at + 1)) return
    state = GROUND
    listener.escape(sequence, char)
  }
  /** Byte for byte, valid UTF-8 or not, so that a place in the text is a place in the stream. */
  const inString = (byte: number): void => {
    string.push(byte)
    if (string.length < MAX_STRING) return
    listener.string(Uint8Array.from(string), stringStart)
    stringStart += string.length - STRING_OVERLAP
    string = string.slice(-STRING_OVERLAP)
  }
  const inCsi = (byte: number): void => {
    if (byte >= 0x40) {
      endCsi(String.fromCharCode(byte))
      return
    }
    part = partAfter(part, byte)
    if (sequence.length < MAX_CSI) sequence += String.fromCharCode(byte)
    else part = IGNORED
  }
  const step = (byte: number, at: number): void => {
    if (byte === 0x1b) {
      if (state >= OSC) closeString()
      else if (state === CSI) listener.broken()
      state = ESCAPE
      sequence = ''
    } else if (byte === 0x18 || byte === 0x1a) {
      if (state >= OSC) endString()
      state = GROUND
      listener.joinEnds?.()
    } else if (state === OSC && byte === 0x07) closeString()
    else if (state >= OSC) {
      if (state === DCS_HEAD && byte >= 0x20 && byte < 0x7f) {
        if (byte < 0x40) part = partAfter(part, byte)
        if (byte >= 0x40 || part === IGNORED) state = DCS
      }
      inString(byte)
    } else if (byte < 0x20 || byte === 0x7f) {
      listener.control(byte)
    } else if (state === ESCAPE) inEscape(byte, at)
    else inCsi(byte)
  }

  return {
    get openString() {
      return state >= OSC ? stringStart : null
    },
    get isIdle() {
      return state === GROUND && utf8Needs === 0
    },
    skip(bytes) {
      base += bytes
    },
    get offset() {
      return base - utf8.length
    },
    parse(bytes) {
      const length = bytes.byteLength
      const words = wordsOf(bytes)
      let at = 0
      while (at < length) {
        const byte = bytes[at] ?? 0
        if (utf8Needs > 0) {
          if ((byte & 0xc0) === 0x80) {
            utf8.push(byte)
            if (state >= OSC) inString(byte)
            at += 1
            if (utf8.length === utf8Needs) {
              const codePoint = decodedUtf8(utf8)
              utf8Needs = 0
              const size = utf8.length
              utf8 = []
              if (codePoint !== null) character(codePoint, base + at - size, base + at)
            }
            continue
          }
          // Cut short: no terminal shows it.
          utf8Needs = 0
          utf8 = []
        }
        if (state === GROUND && PLAIN[byte] === 1) {
          const end = plainEnd(bytes, words, at + 1)
          listener.plain(bytes, at, end, base)
          at = end
        } else if (byte >= 0x80) {
          utf8Needs = utf8Length(byte)
          if (utf8Needs > 0) utf8 = [byte]
          if (state >= OSC) inString(byte)
          at += 1
        } else {
          step(byte, base + at)
          at += 1
        }
      }
      base += length
    },
    end() {
      if (state >= OSC) endString()
    },
  }
}

/** The part of a CSI or DCS head after this byte, which is below 0x40. */
function partAfter(part: number, byte: number): number {
  if (part === IGNORED) return IGNORED
  if (byte < 0x30) return INTERMEDIATES
  if (part === INTERMEDIATES || (byte >= 0x3c && part !== ENTRY)) return IGNORED
  return PARAMS
}

type Words = { readonly words: Int32Array /** Where the first word begins. */; readonly from: number }

function wordsOf(bytes: Uint8Array): Words {
  const from = (4 - (bytes.byteOffset % 4)) % 4
  if (bytes.byteLength < from + 4) return { words: new Int32Array(0), from: bytes.byteLength }
  return {
    words: new Int32Array(bytes.buffer, bytes.byteOffset + from, (bytes.byteLength - from) >> 2),
    from,
  }
}

/** True if all bytes are printable ASCII, tabs, line feeds and carriage returns. */
export function isPlain(bytes: Uint8Array): boolean {
  return plainEnd(bytes, wordsOf(bytes), 0) === bytes.byteLength
}

/**
 * The end of a run of plain bytes. Four at a time: a word has a set bit here if some byte of it is below 0x20
 * or above 0x7e; then each byte is checked.
 */
function plainEnd(bytes: Uint8Array, { words, from }: Words, start: number): number {
  const length = bytes.byteLength
  let at = start
  while (at < length) {
    if ((at - from) % 4 === 0) {
      let word = (at - from) >> 2
      while (word < words.length) {
        const four = words[word] ?? 0
        if ((((four - 0x20202020) | four | (four + 0x01010101)) & 0x80808080) !== 0) break
        word += 1
      }
      at = from + word * 4
      if (at >= length) return length
    }
    if (PLAIN[bytes[at] ?? 0] !== 1) return at
    at += 1
  }
  return length
}
