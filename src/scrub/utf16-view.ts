/** Latin-1 text in two bytes a character, as Windows and some logs write it: without the zero bytes. */
import { offsetView, type View } from './view.ts'

const WIDE = /(?:[\u0009-\u007e\u00a0-\u00ff]\u0000){8,}[\u0009-\u007e\u00a0-\u00ff]?/g
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
