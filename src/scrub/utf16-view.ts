/** Latin-1 text in two bytes a character, as Windows and some logs write it: without the zero bytes. */
import { offsetView, type View } from './view.ts'

const WIDE = /(?:[\u0009-\u007e\u00a0-\u00ff]\u0000){8,}[\u0009-\u007e\u00a0-\u00ff]?/g
const SHORTEST_WIDE = /(?:[\u0009-\u007e\u00a0-\u00ff]\u0000){8}/
/** The number of characters in the shortest such text. */
const FEWEST = 8
const GAP = '\u0000'

/** Null if there is none. */
export function utf16View(text: string, final: boolean): View | null {
  if (!text.includes('\u0000')) return null
  const parts: string[] = []
  const offsets: number[] = []
  let isOpen = false
  for (const found of text.matchAll(WIDE)) {
    for (let at = 0; at < found[0].length; at += 2) {
      parts.push(found[0].charAt(at))
      offsets.push(found.index + at)
    }
    isOpen = found.index + found[0].length === text.length
    parts.push(GAP)
    offsets.push(found.index + found[0].length)
  }
  if (parts.length === 0) return null
  if (isOpen && !final) parts.pop()
  return offsetView(parts.join(''), Uint32Array.from(offsets), final || !isOpen)
}

/** What may become such text at the end of a text that may continue; null if there is none. */
export function wideTail(text: string): View | null {
  if (!text.includes('\u0000', text.length - 2)) return null
  const tail = text.slice(-2 * FEWEST)
  const found = WIDE_TAIL.exec(tail)
  if (found === null) return null
  const first = text.length - tail.length + found.index
  const count = Math.ceil(found[0].length / 2)
  let chars = ''
  for (let index = 0; index < count; index += 1) chars += text.charAt(first + 2 * index)
  const offsets = Uint32Array.from({ length: count + 1 }, (_, index) => first + 2 * index)
  return offsetView(chars, offsets, false)
}
const WIDE_TAIL = /(?:[\u0009-\u007e\u00a0-\u00ff]\u0000)+[\u0009-\u007e\u00a0-\u00ff]?$/

/** True if the text contains such text. */
export function isWide(text: string): boolean {
  return text.includes('\u0000') && SHORTEST_WIDE.test(text)
}

/**
 * The same for the first `length` bytes. Binary protocols are full of zero bytes, so each one must not cost a
 * search: of the sixteen bytes of the shortest text, two at a multiple of eight are always a character and a
 * zero, in some order.
 */
export function hasWide(bytes: Uint8Array, length: number): boolean {
  for (let at = 0; at + 1 < length; at += FEWEST) {
    const isZero = bytes[at] === 0
    if (isZero === (bytes[at + 1] === 0)) continue
    let first = isZero ? at - 1 : at
    let end = first
    while (isWideCharacter(bytes, first - 2)) first -= 2
    while (end + 1 < length && isWideCharacter(bytes, end)) end += 2
    if (end - first >= 2 * FEWEST) return true
  }
  return false
}

function isWideCharacter(bytes: Uint8Array, at: number): boolean {
  const code = bytes[at] ?? 0
  return bytes[at + 1] === 0 && ((code >= 0x09 && code <= 0x7e) || code >= 0xa0)
}
