/**
 * UTF-8 as the emulator decodes it: bytes that are no character, and the byte order mark, do not exist on the
 * screen, so text goes on after them.
 */

/** How many bytes the character has that begins with this one; 0 if none begins with it. */
export function utf8Length(lead: number): 0 | 2 | 3 | 4 {
  if (lead >= 0xf0) return lead < 0xf8 ? 4 : 0
  if (lead >= 0xe0) return 3
  return lead >= 0xc2 ? 2 : 0
}

/** The code point of two to four bytes; null if the emulator drops them. */
export function decodedUtf8(bytes: readonly number[]): number | null {
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  if (bytes.length === 2) return ((a & 0x1f) << 6) | (b & 0x3f)
  if (bytes.length === 3) {
    const codePoint = ((a & 0x0f) << 12) | ((b & 0x3f) << 6) | (c & 0x3f)
    const isSurrogate = codePoint >= 0xd800 && codePoint < 0xe000
    return codePoint < 0x800 || isSurrogate || codePoint === 0xfeff ? null : codePoint
  }
  const codePoint = ((a & 0x07) << 18) | ((b & 0x3f) << 12) | ((c & 0x3f) << 6) | (d & 0x3f)
  return codePoint < 0x10000 || codePoint > 0x10ffff ? null : codePoint
}

/** Where the characters of ASCII and beyond begin and end that the emulator reads in these bytes. */
export function* charactersOf(
  bytes: Uint8Array,
): Generator<readonly [codePoint: number, from: number, to: number]> {
  for (let at = 0; at < bytes.byteLength; ) {
    const lead = bytes[at] ?? 0
    const from = at
    at += 1
    if (lead < 0x80) {
      yield [lead, from, at]
      continue
    }
    const needs = utf8Length(lead)
    while (at < from + needs && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1
    const codePoint = needs > 0 && at === from + needs ? decodedUtf8([...bytes.subarray(from, at)]) : null
    if (codePoint !== null) yield [codePoint, from, at]
  }
}
