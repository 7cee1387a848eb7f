import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { partOfScrubbed } from '../../scrub/scrubbed-parts.ts'
import type { CallReference } from '../session/family.ts'

/**
 * The path of a call, scrubbed. A key that ends with the path was scrubbed and kept it: that part is taken. `key` is
 * that of an effect; if it comes from a tape, the scrubber does not know its placeholders.
 */
export function pathText(
  path: string,
  asked: CallReference,
  scrubber: Scrubber,
  key?: ScrubbedText,
): ScrubbedText {
  const ofCall = 'key' in asked ? asked.key : null
  const scrubbed = ofCall ?? (path.includes('<redacted:') ? undefined : key)
  const known = scrubbed?.endsWith(` ${path}`) === true ? partOfScrubbed(scrubbed, path) : null
  return known ?? scrubber.text(path, 'sent')
}
