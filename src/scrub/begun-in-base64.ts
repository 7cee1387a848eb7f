/** Whether a decoded text may hold a secret, or the beginning of one, for the reader of base64. */
import { type Begun, base64Views } from './base64-view.ts'
import { isIn, TOKEN } from './char-class.ts'
import { cutCode } from './code-alphabet.ts'
import { cutEscape } from './escapes.ts'
import { cutPercent } from './percent.ts'

/** What the search of one side knows. */
type Search = {
  /** Whether there is a known value. */
  readonly knows: () => boolean
  /** The offset from which the end of a text may be the beginning of a secret. */
  readonly cutAt: (text: string) => number
  /** Whether no rule has a place to check. */
  readonly isClean: (text: string) => boolean
}

/** Base64 inside of decoded base64 counts, too, and nothing deeper. */
export function begunIn(search: Search): Begun {
  return begunOf(search, begunOf(search, null))
}

function begunOf({ knows, cutAt, isClean }: Search, inside: Begun | null): Begun {
  return {
    get knows() {
      return knows()
    },
    mayGoOn: (text) =>
      cutAt(text) < text.length ||
      cutEscape(text) > 0 ||
      cutPercent(text) > 0 ||
      !isClean(text) ||
      (knows() && cutCode(text) > 0) ||
      (inside !== null && base64Views(text, false, [], inside) !== null),
    // A key at the beginning of a word, a known value anywhere.
    mayBegin: (text) => knows() || !isIn(TOKEN, text, text.length - 1),
  }
}
