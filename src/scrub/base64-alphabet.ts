/**
 * Detects base64 of ASCII text by its characters. Each group of four decodes to three bytes below 128, so the
 * first character of a group has a value below 32, bit 3 of the second is not set and bit 1 of the third is
 * not set. Words of a language rarely match that for long.
 */

/**
 * Minimum number of consecutive characters in such groups; fewer occur by chance. At least 15, because the
 * scan reads blocks of eight.
 */
export const SHORTEST_STRETCH = 16
const BLOCK = 8

/** The six bits of each character, for both alphabets; 255 for all other characters. */
export const VALUES = new Uint8Array(256).fill(255)
for (const [index, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  VALUES[char.charCodeAt(0)] = index
VALUES['-'.charCodeAt(0)] = 62
VALUES['_'.charCodeAt(0)] = 63

/** The positions in a group that a character can have: bit 0 for the first, bit 3 for the last. */
const ROLES = new Uint8Array(256)
for (let code = 0; code < 256; code += 1) {
  const value = VALUES[code] ?? 255
  if (value !== 255)
    ROLES[code] = ((value & 32) === 0 ? 1 : 0) | ((value & 8) === 0 ? 2 : 0) | ((value & 2) === 0 ? 4 : 0) | 8
}

export function isBase64(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < 256 && VALUES[code] !== 255
}

/**
 * True if the eight characters at `at` can be part of such a text. Does for short texts what the kernel's
 * `blocks` does.
 */
export function isAsciiBlock(text: string, at: number): boolean {
  let phases = 15
  for (let index = 0; index < BLOCK; index += 1) {
    const roles = ROLES[text.charCodeAt(at + index) & 255] ?? 0
    // Bit p of `phases`: the groups begin p characters later. So character `index` has position (index - p)
    // in its group.
    phases &= TURNED[(roles << 2) | (index & 3)] ?? 0
    if (phases === 0) return false
  }
  return true
}

/** For the roles of a character and its index modulo four: the phases in which its position is possible. */
const TURNED = new Uint8Array(64)
for (let roles = 0; roles < 16; roles += 1) {
  for (let index = 0; index < 4; index += 1) {
    let phases = 0
    for (let phase = 0; phase < 4; phase += 1)
      if (((roles >> ((index - phase + 4) & 3)) & 1) === 1) phases |= 1 << phase
    TURNED[(roles << 2) | index] = phases
  }
}

/** True if the block at `at` is in a stretch that is long enough, or that reaches the end of the bytes. */
export function mayBeStretch(bytes: Uint8Array, at: number, length: number): boolean {
  for (let phase = 0; phase < 4; phase += 1) {
    let from = at + phase
    let to = from
    while (to - from < SHORTEST_STRETCH && to + 4 <= length && isAsciiGroup(bytes, to)) to += 4
    if (to === from) continue
    while (to - from < SHORTEST_STRETCH && from >= 4 && isAsciiGroup(bytes, from - 4)) from -= 4
    if (to - from >= SHORTEST_STRETCH || from < 4 || to + 4 > length) return true
  }
  return false
}

function isAsciiGroup(bytes: Uint8Array, at: number): boolean {
  return (
    ((ROLES[bytes[at] ?? 0] ?? 0) & 1) !== 0 &&
    ((ROLES[bytes[at + 1] ?? 0] ?? 0) & 2) !== 0 &&
    ((ROLES[bytes[at + 2] ?? 0] ?? 0) & 4) !== 0 &&
    (ROLES[bytes[at + 3] ?? 0] ?? 0) !== 0
  )
}
