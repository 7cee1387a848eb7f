/**
 * The decoded form of base64 in a text, so that every rule also finds secrets in there.
 *
 * Base64 has no start marker. So each run of its characters is decoded at all four alignments, and a stretch
 * counts if several consecutive groups decode to ASCII; random letters rarely do. All stretches are put into
 * one view, with a gap between them.
 */
import { isBase64, SHORTEST_STRETCH, VALUES } from './base64-alphabet.ts'
import type { View } from './view.ts'

/** Separates two stretches: no rule matches across it. */
const GAP = '\u0000'
/** Minimum length of a line of wrapped base64; a multiple of four. A shorter one is no stretch. */
const SHORTEST_WRAPPED = SHORTEST_STRETCH
const LONGEST_BREAK = 80
const CUT_BREAK = /^(?:\\{1,16}[rn]|[\r\n]){0,4}\\{0,16}$/
const BREAK = /(?:\\{1,16}[rn]|[\r\n]){1,4}/y

/** `from` and `to` are counted in characters of the run; `from` is the beginning of a group. */
type Stretch = { readonly run: Run; readonly from: number; readonly to: number }

/** The pieces of one run: more than one if it is wrapped into lines. */
type Run = { readonly starts: readonly number[]; readonly ends: readonly number[]; readonly length: number }

export type Base64Views = {
  readonly views: readonly View[]
  /**
   * The offset from which a secret may begin in base64 that has not yet decoded to a byte; the length of the
   * text if there is none.
   */
  readonly rest: number
}

/** Questions about the decoded text of a stretch that reaches the end. */
export type Begun = {
  /** Some exact value is searched for. */
  readonly knows: boolean
  /** True if a secret may begin in it. */
  mayGoOn(begun: string): boolean
  /** True if a secret may begin after it. */
  mayBegin(begun: string): boolean
}

/**
 * One view of all stretches, and one more for each stretch that may continue. `places` has some offsets in
 * each stretch, found by the scan.
 */
export function base64Views(
  text: string,
  final: boolean,
  places: readonly number[],
  begun: Begun,
): Base64Views | null {
  if (places.length === 0 && (final || !isBase64(text, text.length - 1))) return null
  const closed: Stretch[] = []
  const open: Stretch[] = []
  if (places.length > 0) {
    for (const run of runsOf(text, final, places)) {
      const isOpen = !final && isCut(text, run)
      for (let phase = 0; phase < 4; phase += 1) addStretches(text, run, phase, closed, isOpen ? open : null)
    }
  } else addOpenTail(text, open)
  if (closed.length === 0 && open.length === 0) return null
  let rest = text.length
  const views = closed.length === 0 ? [] : [viewOf(text, true, closed)]
  for (const stretch of open) {
    if (stretch.to - stretch.from < LONGEST_SHORT && !endsInAscii(text, stretch)) continue
    const decoded = decode(text, stretch)
    if (begun.mayBegin(decoded)) rest = Math.min(rest, restOf(text, stretch))
    if (stretch.to - stretch.from >= LONGEST_SHORT || begun.mayGoOn(decoded))
      views.push(viewOf(text, false, [stretch]))
  }
  return views.length === 0 && rest === text.length ? null : { views, rest }
}

/** The text has no stretch that is long enough: return what has begun at its end. */
function addOpenTail(text: string, open: Stretch[]): void {
  const end = text.length
  const least = Math.max(0, end - LONGEST_TAIL)
  let start = end
  while (start > least && isBase64(text, start - 1)) start -= 1
  const run = { starts: [start], ends: [end], length: end - start }
  for (let phase = 0; phase < 4 && phase < run.length; phase += 1) {
    let from = run.length - ((run.length - phase) % 4)
    while (from - 4 >= phase && isAscii(text, run, from - 4)) from -= 4
    open.push({ run, from: Math.max(phase, from - 4), to: run.length })
  }
}
const LONGEST_TAIL = 64

/** Too short to contain a secret, unless it continues. */
const LONGEST_SHORT = SHORTEST_STRETCH + 8

/** True if the characters of the last, incomplete group can be the beginning of ASCII. */
function endsInAscii(text: string, { run, from, to }: Stretch): boolean {
  const count = (to - from) % 4
  for (let at = 0; at < count; at += 1)
    if ((valueAt(text, run, to - count + at) & (REST_BIT[at] ?? 0)) !== 0) return false
  return true
}

/** The run ends with the text, or with a line break after which wrapped base64 may continue. */
function isCut(text: string, { starts, ends }: Run): boolean {
  const start = starts[starts.length - 1] ?? 0
  const end = ends[ends.length - 1] ?? 0
  if (end === text.length) return true
  return text.length - end <= LONGEST_BREAK && isWrapped(start, end) && CUT_BREAK.test(text.slice(end))
}

function runsOf(text: string, final: boolean, places: readonly number[]): Run[] {
  const runs: Run[] = []
  let done = 0
  const last = text.length - 1
  for (const at of final || !isBase64(text, last) ? places : [...places, last]) {
    if (at < done) continue
    const run = runAt(text, at, done)
    done = run.ends[run.ends.length - 1] ?? 0
    if (run.length >= SHORTEST_STRETCH || (!final && done === text.length)) runs.push(run)
  }
  return runs
}

function runAt(text: string, at: number, least: number): Run {
  let start = at
  while (start > least && isBase64(text, start - 1)) start -= 1
  let end = runEnd(text, at)
  const starts = [start]
  const ends = [end]
  let length = end - start
  for (let next = afterBreak(text, start, end); next >= 0; next = afterBreak(text, start, end)) {
    start = next
    end = runEnd(text, start)
    starts.push(start)
    ends.push(end)
    length += end - start
  }
  return { starts, ends, length }
}

function runEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && isBase64(text, end)) end += 1
  return end
}

/** Where the next line of wrapped base64 begins, or -1. */
function afterBreak(text: string, start: number, end: number): number {
  if (!isWrapped(start, end)) return -1
  const code = text.charCodeAt(end)
  if (code !== 0x5c && code !== 0x0a && code !== 0x0d) return -1
  BREAK.lastIndex = end
  const found = BREAK.exec(text)
  if (found === null || !isBase64(text, end + found[0].length)) return -1
  return end + found[0].length
}

function isWrapped(start: number, end: number): boolean {
  return end - start >= SHORTEST_WRAPPED && (end - start) % 4 === 0
}

function addStretches(
  text: string,
  run: Run,
  phase: number,
  closed: Stretch[],
  open: Stretch[] | null,
): void {
  let from = phase
  let at = phase
  for (; at + 3 < run.length; at += 4) {
    if (isAscii(text, run, at)) continue
    if (at - from >= SHORTEST_STRETCH)
      closed.push({ run, from: Math.max(phase, from - 4), to: Math.min(run.length, at + 4) })
    from = at + 4
  }
  const start = Math.max(phase, from - 4)
  // What has begun at the end of the text may become a stretch.
  if (open !== null && start < run.length) open.push({ run, from: start, to: run.length })
  if (open === null && at - from >= SHORTEST_STRETCH)
    closed.push({ run, from: start, to: Math.min(run.length, at + 4) })
}

/** True if the four characters decode to three bytes below 128. */
function isAscii(text: string, run: Run, at: number): boolean {
  return (
    (valueAt(text, run, at) & 32) === 0 &&
    (valueAt(text, run, at + 1) & 8) === 0 &&
    (valueAt(text, run, at + 2) & 2) === 0
  )
}

function valueAt(text: string, run: Run, at: number): number {
  return VALUES[text.charCodeAt(placeAt(run, at)) & 255] ?? 0
}

/** The offset in the text of a character of the run; for its end, the end of its last piece. */
function placeAt(run: Run, at: number): number {
  const first = run.starts[0] ?? 0
  if (run.starts.length === 1) return first + at
  let left = at
  for (let piece = 0; piece < run.starts.length; piece += 1) {
    const start = run.starts[piece] ?? 0
    const length = (run.ends[piece] ?? 0) - start
    if (left < length) return start + left
    left -= length
  }
  return (run.ends[run.ends.length - 1] ?? 0) + left
}

function viewOf(text: string, final: boolean, stretches: readonly Stretch[]): View {
  const parts: string[] = []
  const starts: number[] = []
  let length = 0
  for (const stretch of stretches) {
    const decoded = decode(text, stretch)
    starts.push(length)
    parts.push(decoded, GAP)
    length += decoded.length + 1
  }
  // The gap after the last stretch maps to its end, unless the stretch continues.
  if (!final) parts.pop()
  const indexOf = (at: number): number => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return low
  }
  const place = (at: number, chars: (bytes: number) => number): number => {
    const index = indexOf(at)
    const stretch = stretches[index]
    if (stretch === undefined) return text.length
    return placeAt(stretch.run, Math.min(stretch.to, stretch.from + chars(at - (starts[index] ?? 0))))
  }
  const byteLength = (index: number): number =>
    Math.floor(((stretches[index]?.to ?? 0) - (stretches[index]?.from ?? 0)) * 0.75)
  return {
    text: parts.join(''),
    final,
    // Only characters that share no bits with a neighbouring byte.
    start: (at) => place(at, (bytes) => Math.ceil((bytes * 8) / 6)),
    end(at) {
      const index = indexOf(at - 1)
      const stretch = stretches[index]
      if (stretch === undefined) return text.length
      const bytes = at - (starts[index] ?? 0)
      // The last byte of the run owns the remaining bits of its last characters.
      const chars =
        stretch.to === stretch.run.length && bytes === byteLength(index)
          ? stretch.to - stretch.from
          : Math.floor((bytes * 8) / 6)
      return placeAt(stretch.run, stretch.from + chars - 1) + 1
    },
    from: (at) => place(at, (bytes) => Math.floor((bytes * 8) / 6)),
  }
}

/**
 * Where the characters begin that do not yet make a whole byte, if they can be the beginning of an ASCII
 * byte; else the end of the text.
 */
function restOf(text: string, stretch: Stretch): number {
  const { run, from, to } = stretch
  const count = (to - from) % 4
  // Only at the beginning of the run, or after decoded text: elsewhere nothing indicates base64.
  if (
    count === 0 ||
    (from > 0 && (to - from < 8 || !isAscii(text, run, to - count - 4))) ||
    !endsInAscii(text, stretch)
  )
    return text.length
  return placeAt(run, to - 1)
}
/** The highest bit of each byte, in the character that contains it. */
const REST_BIT = [32, 8, 2]

function decode(text: string, { run, from, to }: Stretch): string {
  if (to - from < LONGEST_SHORT) return decodeShort(text, run, from, to)
  if (run.starts.length === 1)
    return Buffer.from(text.slice((run.starts[0] ?? 0) + from, (run.starts[0] ?? 0) + to), 'base64').toString(
      'latin1',
    )
  const joined = run.starts.map((start, piece) => text.slice(start, run.ends[piece])).join('')
  return Buffer.from(joined.slice(from, to), 'base64').toString('latin1')
}

function decodeShort(text: string, run: Run, from: number, to: number): string {
  let decoded = ''
  let bits = 0
  for (let at = from; at < to; at += 1) {
    bits = (bits << 6) | valueAt(text, run, at)
    const count = (at - from) & 3
    if (count > 0) decoded += String.fromCharCode((bits >> (6 - 2 * count)) & 255)
  }
  return decoded
}
