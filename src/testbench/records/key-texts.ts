/**
 * What a replay gives the program in the place of a private key: a text of the same form, since libraries read the
 * first and the last line themselves. Wherever the program passes it on, it is the placeholder again.
 *
 * Decision 0500.
 */
import { textOrNull, utf8 } from '../../base/index.ts'
import type { Answer } from '../../boundaries/session.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { replaceKeyPlaceholders, standInKeyText } from '../../scrub/key-forms.ts'
import { hasFeature } from '../../tape/features.ts'

export type KeyTexts = {
  /** The text with keys in the place of their placeholders. */
  inText(text: string): string
  /** The same for a file; null if it has no key. */
  inAnswer(answer: Answer): Answer | null
}

export function createKeyTexts(
  header: { readonly features?: readonly number[] },
  scrubber: Pick<Scrubber, 'learnAs'>,
): KeyTexts {
  const isOlder = !hasFeature(header, 'keyForms')
  const inText = (text: string): string => {
    if (isOlder || !text.includes('<redacted:')) return text
    return replaceKeyPlaceholders(text, (placeholder, form, before) => {
      const { text: key, content } = standInKeyText(placeholder, form)
      for (const secret of [key, content]) scrubber.learnAs(secret, placeholder)
      // In the middle of a line the key is a string with escaped line breaks: JSON, `.env` files.
      return /^[ \t]*$/.test(before) ? key.replaceAll('\n', `\n${before}`) : key.replaceAll('\n', '\\n')
    })
  }
  return {
    inText,
    inAnswer(answer) {
      if (isOlder || answer.type !== 'file_read') return null
      const text = answer.text ?? (isShort(answer.bytes) ? textOrNull(answer.bytes) : null)
      const given = text === null ? null : inText(text)
      if (given === null || given === text) return null
      return { type: 'file_read', path: answer.path, bytes: utf8(given), text: given }
    },
  }
}

/** A longer file is content. */
const LONGEST_FILE = 64 * 1024

function isShort({ byteLength }: Uint8Array): boolean {
  return byteLength <= LONGEST_FILE
}
