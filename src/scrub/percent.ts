/**
 * The text with its URL encoding decoded, however often it was encoded: `%2B` and `%252B` both become `+`.
 */
import { replacedView } from './escapes.ts'
import type { View } from './view.ts'

const ENCODED = /%(?:25){0,8}([0-9A-Fa-f]{2})/g

/** Null if nothing is encoded. */
export function percentView(text: string, final: boolean): View | null {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    if (isHex(text.charCodeAt(at + 1)) && isHex(text.charCodeAt(at + 2)))
      return replacedView(text, final, ENCODED, (match) =>
        String.fromCharCode(Number.parseInt(match[1] ?? '', 16)),
      )
  }
  return null
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}

/** The number of characters at the end of the text that may be the beginning of an encoded character. */
export function cutPercent(text: string): number {
  if (!text.includes('%', text.length - 20)) return 0
  return /%(?:25){0,8}[0-9A-Fa-f]?$/.exec(text.slice(-20))?.[0].length ?? 0
}
