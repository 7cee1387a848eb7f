import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { partOfScrubbed } from '../../scrub/scrubbed-parts.ts'
import type { CallReference } from '../session/family.ts'

/** The path of a call, scrubbed. A key that ends with the path was scrubbed and kept it: that part is taken. */
export function pathText(path: string, asked: CallReference, scrubber: Scrubber): ScrubbedText {
  const known = 'key' in asked && asked.key.endsWith(` ${path}`) ? partOfScrubbed(asked.key, path) : null
  return known ?? scrubber.text(path, 'sent')
}
