/** The decoded forms of a text: escapes, percent-encoding, UTF-16, base64, codes of characters. */
import { type Begun, base64Views } from './base64-view.ts'
import { codeViews } from './code-view.ts'
import { unescapedView } from './escapes.ts'
import { percentView } from './percent.ts'
import { type Match, RANK } from './rule.ts'
import type { Scanned } from './scanned.ts'
import { utf16View, wideTail } from './utf16-view.ts'
import type { View } from './view.ts'

export type Encoding = 'escapes' | 'percent' | 'utf16' | 'base64' | 'codes'
export const NO_VIEWS: readonly Encoding[] = []
type Encoded = { readonly views: readonly (readonly [Encoding, View])[]; readonly certain: number }
/** The depth of nested encodings that is searched: JSON in base64 in a URL. */
const MOST_UNDONE = 3

/** Signs that a text is encoded. */
type Signs = { readonly escaped: boolean; readonly scanned: Scanned<unknown> }

/** Null if nothing in the text is encoded, or if the depth limit is reached. */
export function encodedViews(
  text: string,
  final: boolean,
  { escaped, scanned }: Signs,
  undone: readonly Encoding[],
  begun: Begun,
): Encoded | null {
  if (undone.length >= MOST_UNDONE) return null
  const escapes = escaped && !undone.includes('escapes') ? unescapedView(text, final) : null
  const percent = !scanned.hasPercent || undone.includes('percent') ? null : percentView(text, final)
  const wide = !scanned.mayBeWide || undone.includes('utf16') ? null : utf16View(text, final)
  const tail = final || undone.includes('utf16') ? null : wideTail(text)
  const isDeep = undone.length === 2 && undone[0] === 'base64' && undone[1] === 'base64'
  const base64 = isDeep ? null : base64Views(text, final, scanned.base64, begun)
  const codes = !begun.knows || undone.includes('codes') ? null : codeViews(text, final, scanned.codes)
  if ([escapes, percent, wide, tail, base64, codes].every((each) => each === null)) return null
  const views: (readonly [Encoding, View])[] = []
  if (escapes !== null) views.push(['escapes', escapes])
  if (percent !== null) views.push(['percent', percent])
  if (wide !== null) views.push(['utf16', wide])
  if (tail !== null) views.push(['utf16', tail])
  for (const view of base64?.views ?? []) views.push(['base64', view])
  for (const view of codes?.views ?? []) views.push(['codes', view])
  return { views, certain: Math.min(base64?.rest ?? text.length, codes?.rest ?? text.length) }
}

/** Matches in such a view, as they are in the original. Those that do not count are left out. */
export function inOriginal(encoding: Encoding, view: View, matches: readonly Match[]): readonly Match[] {
  return matches
    .map((match) => ({ ...match, start: view.start(match.start), end: view.end(match.end) }))
    .filter((match) => countsIn(encoding, match) && match.end > match.start)
}

/**
 * Codes of characters are decoded only while a value is known: keys known by their shape would be found by a
 * recording there, and not by a replay without that value.
 */
function countsIn(encoding: Encoding, { rank }: Match): boolean {
  return encoding === 'codes' ? rank === RANK.known : rank !== RANK.media
}
