/**
 * Detects text that is written as the codes of its characters: hex (`51595a`), hex with separators (`51 59`,
 * `\x51\x59`, `&#x51;`, `0x51,0x59`, `=51=59`) and decimal numbers (`81, 89`, `&#81;&#89;`).
 */

/** Minimum number of consecutive codes of text; fewer occur by chance. No secret is shorter. */
export const SHORTEST_CODES = 8
const BLOCK = 8
/** A gap between two codes that is longer than this ends a stretch. */
const LONGEST_GAP = 64
/** `0081`, `0051` */
const LONGEST_NUMBER = 4

const DIGIT = 1
const HEX_LETTER = 2
const BETWEEN = 4

/** What a byte can be in such a text; 0 for all other bytes. */
const KINDS = new Uint8Array(256)
for (const char of '0123456789') KINDS[char.charCodeAt(0)] = DIGIT
for (const char of 'abcdefABCDEF') KINDS[char.charCodeAt(0)] = HEX_LETTER
for (const char of '\t\n\r "#&\',-:;=X[\\]nrux{}') KINDS[char.charCodeAt(0)] = BETWEEN

/** The value of a hex digit. */
const HEX_VALUES = new Uint8Array(256)
for (const [value, char] of [...'0123456789abcdef'].entries()) {
  HEX_VALUES[char.charCodeAt(0)] = value
  HEX_VALUES[char.toUpperCase().charCodeAt(0)] = value
}

export function isCodeByte(byte: number): boolean {
  return KINDS[byte] !== 0
}

/**
 * True if the eight characters at `at` can be part of such a text. Does for short texts what the kernel's
 * `codes` does.
 */
export function isCodeBlock(text: string, at: number): boolean {
  let kinds = 0
  for (let index = 0; index < BLOCK; index += 1) {
    const kind = KINDS[text.charCodeAt(at + index) & 255] ?? 0
    if (kind === 0) return false
    kinds |= kind
  }
  return (kinds & DIGIT) !== 0
}

type Reading = 0 | 1 | 2
const DECIMAL: Reading = 0
const HEX: Reading = 1
/** Pairs of hex digits that begin at the second digit of a number. */
const SHIFTED: Reading = 2
const READINGS: readonly Reading[] = [DECIMAL, HEX, SHIFTED]

/** Consecutive codes of characters of text: of ASCII, and of any other byte if it is a number of its own. */
export type Codes = { readonly chars: number[]; readonly starts: number[]; readonly ends: number[] }

/**
 * Reads the codes in bytes that all are `isCodeByte`, in each reading. `found` gets each stretch in order;
 * `isLast` for one that ends with the bytes. A number at the end of the bytes that may continue (`mayGoOn`)
 * is left out, but for the whole pairs of hex digits in it.
 */
export function readCodes(
  bytes: Uint8Array,
  from: number,
  to: number,
  mayGoOn: boolean,
  found: (codes: Codes, isLast: boolean) => void,
): void {
  const open: [Codes, Codes, Codes] = [newCodes(), newCodes(), newCodes()]
  const close = (reading: Reading): void => {
    if (open[reading].chars.length === 0) return
    found(open[reading], false)
    open[reading] = newCodes()
  }
  const add = (reading: Reading, code: number, start: number, end: number, isAlone: boolean): void => {
    if (!isText(code) && !(isAlone && code > 127 && code < 256)) {
      close(reading)
      return
    }
    const codes = open[reading]
    codes.chars.push(code)
    codes.starts.push(start)
    codes.ends.push(end)
  }
  let last = from
  let at = from
  while (at < to) {
    if ((KINDS[bytes[at] ?? 0] ?? 0) === BETWEEN) {
      at += 1
      continue
    }
    const start = at
    let kinds = 0
    for (; at < to; at += 1) {
      const kind = KINDS[bytes[at] ?? 0] ?? 0
      if (kind === BETWEEN) break
      kinds |= kind
    }
    const length = at - start
    if (length === 1 && bytes[start] === 0x30 && ((bytes[at] ?? 0) | 32) === 0x78) continue
    if (start - last > LONGEST_GAP) for (const reading of READINGS) close(reading)
    last = at
    const isCut = mayGoOn && at === to
    // Decimal numbers, also with leading zeros.
    if (kinds === DIGIT && length <= LONGEST_NUMBER) {
      if (!isCut) add(DECIMAL, decimalOf(bytes, start, at), start, at, true)
    } else close(DECIMAL)
    // A shifted stretch is inside one number.
    close(SHIFTED)
    if (length <= LONGEST_NUMBER && hasLeadingZeros(bytes, start, at) && (length === 4 || isCut)) {
      if (length === 4) add(HEX, pairAt(bytes, start + 2), start, at, true)
      continue
    }
    for (let pair = start; pair + 2 <= at; pair += 2)
      add(HEX, pairAt(bytes, pair), pair, pair + 2, length === 2)
    if (length % 2 === 1 && !isCut) close(HEX)
    if (length < 2 * SHORTEST_CODES && !isCut) continue
    for (let pair = start + 1; pair + 2 <= at; pair += 2)
      add(SHIFTED, pairAt(bytes, pair), pair, pair + 2, false)
  }
  if (to - last > LONGEST_GAP) return
  for (const reading of READINGS) if (open[reading].chars.length > 0) found(open[reading], true)
}

/**
 * The number of characters at the end of the text that may be the beginning of the code of a character. What
 * `readCodes` reads at the end of a text is not counted.
 */
export function cutCode(text: string): number {
  let start = text.length
  let kinds = 0
  while (start > 0 && text.length - start <= LONGEST_NUMBER) {
    const code = text.charCodeAt(start - 1)
    const kind = code > 255 ? 0 : (KINDS[code] ?? 0) & (DIGIT | HEX_LETTER)
    if (kind === 0) break
    kinds |= kind
    start -= 1
  }
  if (kinds === DIGIT && text.length - start <= LONGEST_NUMBER) return text.length - start
  // The first half of a pair of hex digits: of ASCII, at most 7.
  const last = text.charCodeAt(text.length - 1)
  return last >= 0x30 && last <= 0x37 ? 1 : 0
}

/**
 * True if the block at `at` is in a stretch of enough codes, or in a run that reaches an end of the bytes.
 * Returns also the end of that run, in which no other block has to be checked.
 */
export function codeRun(
  bytes: Uint8Array,
  at: number,
  least: number,
  length: number,
): { readonly hasCodes: boolean; readonly end: number } {
  let start = at
  while (start > least && KINDS[bytes[start - 1] ?? 0] !== 0) start -= 1
  let end = at
  while (end < length && KINDS[bytes[end] ?? 0] !== 0) end += 1
  let hasCodes = start === 0 || end === length
  if (!hasCodes && hasDigits(bytes, start, end))
    readCodes(bytes, start, end, false, ({ chars }) => {
      if (chars.length >= SHORTEST_CODES) hasCodes = true
    })
  return { hasCodes, end }
}

/** True if there are two digits for each of enough codes. */
function hasDigits(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < 2 * SHORTEST_CODES) return false
  let count = 0
  for (let at = from; at < to; at += 1) if (KINDS[bytes[at] ?? 0] !== BETWEEN) count += 1
  return count >= LEAST_DIGITS
}
/** A tab is the only character with a single digit, and no secret has more than a few. */
const LEAST_DIGITS = 2 * SHORTEST_CODES - 4

function newCodes(): Codes {
  return { chars: [], starts: [], ends: [] }
}

/** The beginning of `0051`. */
function hasLeadingZeros(bytes: Uint8Array, from: number, to: number): boolean {
  return bytes[from] === 0x30 && (to - from < 2 || bytes[from + 1] === 0x30)
}

function isText(code: number): boolean {
  return (code >= 32 && code < 127) || code === 9 || code === 10 || code === 13
}

function pairAt(bytes: Uint8Array, at: number): number {
  return ((HEX_VALUES[bytes[at] ?? 0] ?? 0) << 4) | (HEX_VALUES[bytes[at + 1] ?? 0] ?? 0)
}

function decimalOf(bytes: Uint8Array, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at += 1) number = number * 10 + (bytes[at] ?? 0) - 48
  return number
}
