/**
 * Splits a terminal stream into what is printed and what is not, with the byte range of each, whatever the
 * chunks. The states are those of the DEC parser that emulators follow, so a control character inside a
 * sequence acts, ESC begins anew, CAN and SUB break off.
 *
 * Nothing is interpreted here beyond that: where text lands on the screen is the listener's business.
 *
 * Decision 0265.
 */
export type VtListener = {
  /**
   * Bytes 0x20 to 0x7e, tab, line feed and carriage return: `[start, end)` of `bytes`, which begin at `base`
   * in the stream.
   */
  plain(bytes: Uint8Array, start: number, end: number, base: number): void
  /** One character beyond ASCII. Offsets count from the beginning of the stream, here and below. */
  glyph(codePoint: number, start: number, end: number): void
  control(byte: number): void
  escape(intermediates: string, final: string): void
  csi(prefix: string, params: string, intermediates: string, final: string): void
  /** The whole text of an OSC, DCS, APC, PM or SOS sequence, or a mebibyte of it. */
  string(text: Uint8Array, start: number): void
  /** A sequence that no terminal understands was left behind. */
  broken(): void
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
const STRING = 3

const MAX_STRING = 1024 * 1024
const MAX_CSI = 256
const PLAIN = new Uint8Array(256)
for (let byte = 0x20; byte < 0x7f; byte += 1) PLAIN[byte] = 1
for (const byte of [0x09, 0x0a, 0x0d]) PLAIN[byte] = 1

export function createVtParser(listener: VtListener): VtParser {
  let state = GROUND
  let base = 0
  let sequence = ''
  let string: number[] = []
  let stringStart = 0
  let stringEndsAtBell = false
  let utf8: number[] = []
  let utf8Needs = 0

  const beginString = (at: number, bell: boolean): void => {
    state = STRING
    string = []
    stringStart = at
    stringEndsAtBell = bell
  }
  const endString = (): void => {
    if (string.length > 0) listener.string(Uint8Array.from(string), stringStart)
    string = []
    state = GROUND
  }
  const begin = (introducer: string, at: number): boolean => {
    if (introducer === '[') {
      state = CSI
      sequence = ''
    } else if (introducer === ']') beginString(at, true)
    else if ('PX^_'.includes(introducer)) beginString(at, false)
    else return false
    return true
  }
  const endCsi = (final: string): void => {
    state = GROUND
    const match = /^([<-?]*)([0-9:;]*)([ -/]*)$/.exec(sequence)
    if (match === null) listener.broken()
    else listener.csi(match[1] ?? '', match[2] ?? '', match[3] ?? '', final)
  }
  const c1 = (codePoint: number, at: number): void => {
    const introducer = String.fromCharCode(codePoint - 0x40)
    if (begin(introducer, at)) return
    if (codePoint !== 0x9c) listener.escape('', introducer)
  }
  /** A character beyond ASCII, whole. */
  const character = (codePoint: number, start: number, end: number): void => {
    if (codePoint >= 0x80 && codePoint < 0xa0) c1(codePoint, end)
    else if (state === GROUND) listener.glyph(codePoint, start, end)
    else {
      state = GROUND
      listener.broken()
    }
  }
  const inEscape = (byte: number, at: number): void => {
    const char = String.fromCharCode(byte)
    if (byte < 0x30) {
      sequence += char
      return
    }
    if (sequence === '' && begin(char, at + 1)) return
    state = GROUND
    listener.escape(sequence, char)
  }
  /** Byte for byte, valid UTF-8 or not, so that a place in the text is a place in the stream. */
  const inString = (byte: number, at: number): void => {
    if (byte >= 0x80 && byte < 0xa0 && string[string.length - 1] === 0xc2) {
      // Every control character of C1 ends a string, not only its terminator.
      string.pop()
      endString()
      c1(byte, at + 1)
      return
    }
    if (byte === 0x07 && stringEndsAtBell) {
      endString()
      return
    }
    string.push(byte)
    if (string.length >= MAX_STRING) {
      listener.string(Uint8Array.from(string), stringStart)
      stringStart += string.length
      string = []
    }
  }
  const step = (byte: number, at: number): void => {
    if (byte === 0x1b) {
      if (state === STRING) endString()
      else if (state === CSI) listener.broken()
      state = ESCAPE
      sequence = ''
    } else if (byte === 0x18 || byte === 0x1a) {
      if (state === STRING) endString()
      state = GROUND
    } else if (state === STRING) inString(byte, at)
    else if (byte < 0x20 || byte === 0x7f) {
      listener.control(byte)
    } else if (state === ESCAPE) inEscape(byte, at)
    else if (byte >= 0x40 || sequence.length > MAX_CSI) endCsi(String.fromCharCode(byte))
    else sequence += String.fromCharCode(byte)
  }

  return {
    get openString() {
      return state === STRING ? stringStart : null
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
            at += 1
            if (utf8.length === utf8Needs) {
              const codePoint = decoded(utf8)
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
        } else if (byte >= 0x80 && state !== STRING) {
          utf8Needs =
            byte >= 0xf0 && byte < 0xf8
              ? 4
              : byte >= 0xe0 && byte < 0xf0
                ? 3
                : byte >= 0xc2 && byte < 0xe0
                  ? 2
                  : 0
          if (utf8Needs > 0) utf8 = [byte]
          at += 1
        } else {
          step(byte, base + at)
          at += 1
        }
      }
      base += length
    },
    end() {
      if (state === STRING) endString()
    },
  }
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

function decoded(bytes: readonly number[]): number | null {
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  if (bytes.length === 2) return ((a & 0x1f) << 6) | (b & 0x3f)
  if (bytes.length === 3) {
    const codePoint = ((a & 0x0f) << 12) | ((b & 0x3f) << 6) | (c & 0x3f)
    return codePoint < 0x800 || (codePoint >= 0xd800 && codePoint < 0xe000) ? null : codePoint
  }
  const codePoint = ((a & 0x07) << 18) | ((b & 0x3f) << 12) | ((c & 0x3f) << 6) | (d & 0x3f)
  return codePoint < 0x10000 || codePoint > 0x10ffff ? null : codePoint
}
