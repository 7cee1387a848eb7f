/**
 * Removes from sent bytes what depends on the length of a secret in them. In a replay the program sends a
 * placeholder of another length: the counts before it (binary or decimal) differ, and so does base64 around
 * it. They are replaced in both modes, by the same rules, before the bytes are scrubbed and compared.
 *
 * Does not cover a count that was sent in a separate write, and a checksum.
 *
 * Decision 0324.
 */
import type { Scrubber } from '../../scrub/index.ts'
import { withoutBerLengths } from './ber-lengths.ts'

type Span = { readonly start: number; readonly end: number }

/** A longer write is content: its base64 is not searched. */
const LONGEST_LOGIN = 4096
const BASE64 = /[A-Za-z0-9+/]{4,}={0,2}/g
const PLACEHOLDER = /<redacted:[A-Za-z0-9_.:#-]{1,180}>/g
const ENCODED = '<redacted:encoded>'
/** Words of a protocol repeat with every message. Longer ones are content. */
const LONGEST_WORD = 256
const MOST_WORDS = 1024
/** The maximum distance of a count before a secret. */
const FARTHEST = 16 * 1024

type Searched = Pick<Scrubber, 'find' | 'mayHold' | keyof WordCheck>

export function withoutCounts(bytes: Uint8Array, scrubber: Searched): Uint8Array {
  return uncounted(bytes, scrubber).bytes
}

/** `isClear`: no rule has a place to check in the bytes. `knowsBer`: the run has the rules for LDAP. */
export function uncounted(
  bytes: Uint8Array,
  scrubber: Searched,
  knowsBer = false,
): { readonly bytes: Uint8Array; readonly isClear: boolean } {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const buffer = hasPlainWords(given, scrubber) ? given : withoutEncoded(given, scrubber)
  const spans = spansOf(buffer, scrubber)
  if (spans === null) return { bytes: buffer, isClear: true }
  if (spans.length === 0) return { bytes: buffer, isClear: false }
  const ofBer = knowsBer ? withoutBerLengths(buffer, spans) : null
  if (ofBer !== null) return { bytes: ofBer, isClear: false }
  let result: Buffer = Buffer.from(buffer)
  // From the last one on: a decimal count moves the offsets after it.
  for (const span of spans.toReversed()) result = clearedBefore(result, buffer, span)
  return { bytes: withoutPacketCount(result, buffer, spans[0]), isClear: false }
}

/** Whether no word of base64 in the bytes contains a secret. */
export function hasPlainWords(bytes: Uint8Array, scrubber: WordCheck): boolean {
  return bytes.byteLength > LONGEST_LOGIN || hasHarmlessWords(bytes, scrubber)
}

/** Words in base64 that contain a secret are replaced as a whole. */
function withoutEncoded(given: Buffer, scrubber: WordCheck): Buffer {
  const changed = given.toString('latin1').replace(BASE64, (word) => {
    const isWord = word.length % 4 !== 1 && scrubber.holdsSecret(Buffer.from(word, 'base64'))
    return isWord ? ENCODED : word
  })
  return Buffer.from(changed, 'latin1')
}

type WordCheck = Pick<Scrubber, 'holdsSecret' | 'version' | 'hits'>
/** Words by a hash of their bytes. */
type Words = Map<number, Uint8Array>
type HarmlessWords = { readonly version: number; readonly hits: number; readonly words: Words }
const harmless = new WeakMap<WordCheck, HarmlessWords>()

/** Words without a secret. They are checked again after the scrubber has learned or replaced a value. */
function harmlessWords(scrubber: WordCheck): Words {
  const { version, hits } = scrubber
  const before = harmless.get(scrubber)
  if (before?.version === version && before.hits === hits && before.words.size < MOST_WORDS)
    return before.words
  const words: Words = new Map()
  harmless.set(scrubber, { version, hits, words })
  return words
}

/** The characters of `BASE64` without `=`. */
const LETTERS = new Uint8Array(256)
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  LETTERS[char.charCodeAt(0)] = 1
const EQUALS = 0x3d
const LESS_THAN = 0x3c
const SHORTEST_WORD = 4
const HASH_START = 0x811c9dc5
const HASH_FACTOR = 0x01000193

/**
 * Whether no word of `BASE64` contains a secret. Reads bytes, because it runs for everything that is sent: words that
 * were checked before need no string.
 */
function hasHarmlessWords(bytes: Uint8Array, scrubber: WordCheck): boolean {
  const known = harmlessWords(scrubber)
  const { length } = bytes
  let at = 0
  while (at < length) {
    const start = at
    let hash = HASH_START
    for (; at < length && LETTERS[bytes[at] ?? 0] === 1; at += 1)
      hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_FACTOR)
    const letters = at - start
    if (letters >= SHORTEST_WORD) at = paddingEnd(bytes, at)
    if (letters >= SHORTEST_WORD && (at - start) % 4 !== 1) {
      const word = known.get(hash)
      if (word === undefined || !isAt(bytes, start, at, word)) {
        const found = Uint8Array.prototype.slice.call(bytes, start, at)
        if (scrubber.holdsSecret(Buffer.from(latin1(found), 'base64'))) return false
        if (found.length <= LONGEST_WORD) known.set(hash, found)
      }
    }
    if (at === start) at += 1
  }
  return true
}

/** Behind up to two `=`. */
function paddingEnd(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length || bytes[at] !== EQUALS) return at
  return at + 1 < bytes.length && bytes[at + 1] === EQUALS ? at + 2 : at + 1
}

function isAt(bytes: Uint8Array, start: number, end: number, word: Uint8Array): boolean {
  if (end - start !== word.length) return false
  for (let index = 0; index < word.length; index += 1) if (bytes[start + index] !== word[index]) return false
  return true
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** Null if no rule has a place to check. */
function spansOf(buffer: Buffer, scrubber: Pick<Scrubber, 'find' | 'mayHold'>): readonly Span[] | null {
  const hasPlaceholder = buffer.includes(LESS_THAN) && buffer.includes('<redacted:')
  if (!hasPlaceholder && !scrubber.mayHold(buffer, 'sent')) return null
  const text = buffer.toString('latin1')
  const known = scrubber.find(text, 'sent', true).spans
  const placeholders = [...text.matchAll(PLACEHOLDER)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }))
  return [...known, ...placeholders].sort((a, b) => a.start - b.start)
}

/** `result` without the counts that include the span; `buffer` has the original values. */
function clearedBefore(result: Buffer, buffer: Buffer, span: Span): Buffer {
  const first = Math.max(0, span.start - FARTHEST)
  for (let at = first; at < span.start; at += 1)
    for (const width of countWidths(buffer, at, span)) result.fill(0, at, at + width)
  return withoutDecimal(result, buffer, span)
}

const MEMCACHED_REQUEST = 0x80

/** How many bytes at this offset count bytes of the span. */
function countWidths(buffer: Buffer, at: number, { start, end }: Span): readonly number[] {
  const reaches = (width: number, value: number): boolean => {
    const stops = [at + value, at + width + value]
    return at + width <= start && value > 0 && stops.some((stop) => stop >= end && stop <= buffer.length)
  }
  const widths: number[] = []
  if (at + 4 <= start && (reaches(4, buffer.readUInt32BE(at)) || reaches(4, buffer.readUInt32LE(at))))
    widths.push(4)
  // The length of a packet of MySQL, before a number of one byte.
  if (at + 4 <= start && at + 4 + buffer.readUIntLE(at, 3) === buffer.length) widths.push(3)
  // The length of a body of memcached: four bytes, with eight of its header before it and twelve after it.
  const isMemcached = buffer[at - 8] === MEMCACHED_REQUEST && at + 16 <= start
  if (isMemcached && at + 16 + buffer.readUInt32BE(at) === end) widths.push(4)
  if (
    at + 2 === start &&
    (buffer.readUInt16BE(at) === end - start || buffer.readUInt16LE(at) === end - start)
  )
    widths.push(2)
  const isLength = buffer[at] === end - start || buffer[at] === end - start + 1
  if (at + 1 === start && isLength && !isTextBefore(buffer, at)) widths.push(1)
  return widths
}

/** In a protocol of text the byte before a secret is a blank, a quote or a line break, and no count. */
function isTextBefore(buffer: Buffer, end: number): boolean {
  for (let at = 0; at < end; at += 1) {
    const byte = buffer[at] ?? 0
    if (byte > 0x7e || (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) return false
  }
  return end > 0
}

/**
 * The length of a packet of MQTT: 7 bits in each byte, after the type of the packet and before a text with a
 * length of two bytes. It becomes one byte, however long it is.
 */
function withoutPacketCount(result: Buffer, buffer: Buffer, first: Span | undefined): Buffer {
  let length = 0
  for (let width = 1; width <= 4; width += 1) {
    const byte = buffer[width] ?? 0
    length += (byte & 0x7f) << (7 * (width - 1))
    if ((byte & 0x80) !== 0) continue
    const after = 1 + width
    const isCount = after + length === buffer.length && after < (first?.start ?? 0) && buffer[after] === 0
    return isCount ? Buffer.concat([result.subarray(0, 1), ONE_ZERO, result.subarray(after)]) : result
  }
  return result
}

const ONE_ZERO = Buffer.alloc(1)

/** `$14\r\n` of Redis, for a string that includes the span. */
function withoutDecimal(result: Buffer, buffer: Buffer, { start, end }: Span): Buffer {
  const before = buffer.toString('latin1', 0, start)
  const counts = [...before.matchAll(/\$(\d+)\r\n/g)]
  const last = counts.findLast(
    ({ index, 0: found, 1: digits }) => index + found.length + Number(digits) >= end,
  )
  if (last === undefined) return result
  const from = last.index + 1
  return Buffer.concat([
    result.subarray(0, from),
    Buffer.from('#'),
    result.subarray(from + (last[1]?.length ?? 0)),
  ])
}
