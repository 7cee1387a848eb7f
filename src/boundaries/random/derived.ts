/**
 * Values computed from random bytes: an integer in a range, a UUID of version 4, one of version 7. Pure
 * except for the source.
 */
import type { RandomSource } from './source.ts'

const SIX_BYTES = 2 ** 48

/**
 * Uniform from `min` up to, not including, `max`; the range is at most 2^48 - 1 wide. Draws again if a value
 * would favour small numbers.
 */
export function integerBetween(source: RandomSource, min: number, max: number): number {
  const range = max - min
  const limit = SIX_BYTES - (SIX_BYTES % range)
  for (;;) {
    const drawn = source.bytes(6).reduce((sum, byte) => sum * 256 + byte, 0)
    if (drawn < limit) return min + (drawn % range)
  }
}

export function uuidV4(source: RandomSource): string {
  return uuidText(source.bytes(16), 0x40)
}

/** 48 bits of UNIX milliseconds, then random bits. */
export function uuidV7(source: RandomSource, unixMs: number): string {
  const bytes = source.bytes(16)
  for (let index = 5, rest = unixMs; index >= 0; index -= 1, rest = Math.floor(rest / 256))
    bytes[index] = rest % 256
  return uuidText(bytes, 0x70)
}

function uuidText(bytes: Uint8Array, version: number): string {
  const marked = bytes.map((byte, index) =>
    index === 6 ? (byte & 0x0f) | version : index === 8 ? (byte & 0x3f) | 0x80 : byte,
  )
  const hex = [...marked].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
