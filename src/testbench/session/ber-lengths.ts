/**
 * Replaces the lengths in messages of BER (LDAP, SNMP) that depend on the length of a secret in them: those of every
 * element around it. Each becomes one zero, however many bytes it has.
 *
 * Decision 0625.
 */
type Span = { readonly start: number; readonly end: number }

const SEQUENCE = 0x30
const CONSTRUCTED = 0x20
const LONG_TAG = 0x1f
const ONE_ZERO = Buffer.alloc(1)

/** Null if the bytes are no whole messages of BER, or a span is not inside of one element. */
export function withoutBerLengths(bytes: Buffer, spans: readonly Span[]): Buffer | null {
  if (bytes[0] !== SEQUENCE) return null
  const lengths: Span[] = []
  if (!spans.every((span) => collectLengths(bytes, { start: 0, end: bytes.length }, span, lengths, 0)))
    return null
  const parts: Buffer[] = []
  let at = 0
  for (const { start, end } of lengths.sort((a, b) => a.start - b.start)) {
    if (start < at) continue
    parts.push(bytes.subarray(at, start), ONE_ZERO)
    at = end
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}

/** Adds the lengths of the elements around `span`. False if the bytes there are not elements alone. */
function collectLengths(bytes: Buffer, place: Span, span: Span, lengths: Span[], depth: number): boolean {
  let isFound = false
  for (let at = place.start; at < place.end; ) {
    const element = elementAt(bytes, at, place.end)
    if (element === null || (depth === 0 && bytes[at] !== SEQUENCE)) return false
    const { length, content } = element
    if (span.start >= content.start && span.end <= content.end) {
      isFound = true
      lengths.push(length)
      const isConstructed = ((bytes[at] ?? 0) & CONSTRUCTED) !== 0
      if (isConstructed && !collectLengths(bytes, content, span, lengths, depth + 1)) return false
      if (!isConstructed && depth === 0) return false
    }
    at = content.end
  }
  return isFound
}

/** An element with a tag of one byte and a definite length, as LDAP has them. */
function elementAt(
  bytes: Buffer,
  at: number,
  end: number,
): { readonly length: Span; readonly content: Span } | null {
  const first = bytes[at + 1]
  if (first === undefined || at + 2 > end || ((bytes[at] ?? 0) & LONG_TAG) === LONG_TAG) return null
  const more = first & 0x80 ? first & 0x7f : 0
  const start = at + 2 + more
  if (more > 4 || start > end || (first & 0x80 && more === 0)) return null
  const size = more === 0 ? first : bytes.readUIntBE(at + 2, more)
  if (start + size > end) return null
  return { length: { start: at + 1, end: start }, content: { start, end: start + size } }
}
