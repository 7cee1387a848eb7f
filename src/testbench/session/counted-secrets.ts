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

export function withoutCounts(
  bytes: Uint8Array,
  scrubber: Pick<Scrubber, 'find' | 'mayHold' | keyof WordCheck>,
): Uint8Array {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isShort = given.length <= LONGEST_LOGIN
  const text = isShort ? withoutEncoded(given.toString('latin1'), scrubber) : null
  const buffer = text === null ? given : Buffer.from(text, 'latin1')
  const spans = spansOf(buffer, scrubber)
  if (spans.length === 0) return buffer
  let result: Buffer = Buffer.from(buffer)
  // From the last one on: a decimal count moves the offsets after it.
  for (const span of spans.toReversed()) result = clearedBefore(result, buffer, span)
  return withoutPacketCount(result, buffer, spans[0])
}

/** Words in base64 that contain a secret are replaced as a whole. Null if there is none. */
function withoutEncoded(text: string, scrubber: WordCheck): string | null {
  const known = harmlessWords(scrubber)
  const changed = text.replace(BASE64, (word) => {
    if (word.length % 4 === 1 || known.has(word)) return word
    if (scrubber.holdsSecret(Buffer.from(word, 'base64'))) return ENCODED
    if (word.length <= LONGEST_WORD) known.add(word)
    return word
  })
  return changed === text ? null : changed
}

type WordCheck = Pick<Scrubber, 'holdsSecret' | 'version' | 'hits'>
type HarmlessWords = { readonly version: number; readonly hits: number; readonly words: Set<string> }
const harmless = new WeakMap<WordCheck, HarmlessWords>()

/** Words without a secret. They are checked again after the scrubber has learned or replaced a value. */
function harmlessWords(scrubber: WordCheck): Set<string> {
  const { version, hits } = scrubber
  const before = harmless.get(scrubber)
  if (before?.version === version && before.hits === hits && before.words.size < MOST_WORDS)
    return before.words
  const words = new Set<string>()
  harmless.set(scrubber, { version, hits, words })
  return words
}

function spansOf(buffer: Buffer, scrubber: Pick<Scrubber, 'find' | 'mayHold'>): readonly Span[] {
  const hasPlaceholder = buffer.includes('<redacted:')
  if (!hasPlaceholder && !scrubber.mayHold(buffer, 'sent')) return []
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
  if (at + 1 === start && (buffer[at] === end - start || buffer[at] === end - start + 1)) widths.push(1)
  return widths
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
