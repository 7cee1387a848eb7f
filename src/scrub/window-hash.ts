/** Hashes of five characters, by which the index of known values finds its windows. */
import { rawLetter, type Spelled } from './spelling.ts'

/** Characters of a window. */
export const WINDOW = 5

export function lettersFrom(known: Spelled, from: number, count: number): string {
  if (known.isAscii) return known.value.slice(from, from + count)
  let text = ''
  for (let at = from; at < from + count; at += 1) text += rawLetter(known, at)
  return text
}

/** Four characters as one number, by their low bytes. */
export function fourAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) & 255) |
    ((text.charCodeAt(at + 1) & 255) << 8) |
    ((text.charCodeAt(at + 2) & 255) << 16) |
    ((text.charCodeAt(at + 3) & 255) << 24)
  )
}

export function hashAt(text: string, at: number): number {
  return hashOf(fourAt(text, at), text.charCodeAt(at + 4) & 255)
}

/** Each bit depends on all five characters. */
export function hashOf(four: number, fifth: number): number {
  const mixed = Math.imul(four ^ Math.imul(fifth, 0x27d4eb2f), 0x9e3779b1)
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
}

/** One bit in each byte of a word. */
export function bitsOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f)
  return (
    (1 << (mixed & 7)) |
    (1 << (8 + ((mixed >>> 8) & 7))) |
    (1 << (16 + ((mixed >>> 16) & 7))) |
    (1 << (24 + ((mixed >>> 24) & 7)))
  )
}
