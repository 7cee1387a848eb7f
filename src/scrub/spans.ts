/**
 * Collects the spans of a text to replace. Overlapping matches become one span, so that no end of a secret
 * stays behind another one; a known value at the end of a match is a span of its own. Nothing is found inside
 * a placeholder.
 */
import { type Match, RANK } from './rule.ts'

/** The kind of values that have a substitute instead of a placeholder. */
export const DERIVED = 'derived'

export type Span = {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly rank: Match['rank']
  readonly placeholder?: string
  readonly learn?: Match['learn']
}

export type Found = {
  /** In order, without overlaps. */
  readonly spans: readonly Span[]
  /**
   * From this offset on nothing is certain until more text arrives; the length of the text if all is certain.
   */
  readonly certain: number
  /** The text ends inside the payload of a data URI. */
  readonly inMedia: boolean
}

const NOTHING: readonly Span[] = []

export function foundSpans(text: string, matches: readonly Match[], certain: number): Found {
  if (matches.length === 0) return { spans: NOTHING, certain, inMedia: false }
  const inMedia = matches.some((match) => match.rank === RANK.media && match.end === text.length)
  const spans = merged(matches)
  // An open match may have merged with a closed one: then all of it waits.
  const straddling = spans.find((span) => span.start < certain && span.end > certain)
  return { spans, certain: straddling?.start ?? certain, inMedia }
}

function merged(matches: readonly Match[]): readonly Span[] {
  const kept = ofRank(matches, RANK.keep)
  const media = ofRank(matches, RANK.media)
  const sorted = matches
    .filter((match) => match.rank !== RANK.keep && match.rank !== RANK.media)
    .filter((match) => !overlapsAny(match, kept) && (match.rank === RANK.known || !overlapsAny(match, media)))
    .sort((a, b) => a.start - b.start || a.rank - b.rank || b.end - a.end)
  const spans: Span[] = []
  for (const match of sorted) {
    const last = spans[spans.length - 1]
    if (last === undefined || match.start >= last.end) spans.push(match)
    else if (isRunInto(last, match)) spans.splice(-1, 1, { ...last, end: match.start }, match)
    else if (match.end > last.end) spans[spans.length - 1] = { ...last, end: match.end }
  }
  return spans
}

/**
 * A token that seems to end with a known value, or in the middle of one: it ended where that begins. In a replay
 * the placeholder of the value is there, and ends the token. A value that the program has made from a secret has a
 * substitute of the same form, which ends nothing: the token of a server ends with its signature.
 */
function isRunInto(token: Span, match: Match): boolean {
  return (
    match.rank === RANK.known &&
    match.kind !== DERIVED &&
    token.rank !== RANK.known &&
    match.start > token.start &&
    match.end >= token.end
  )
}

function ofRank(matches: readonly Match[], rank: Match['rank']): Match[] {
  return matches.filter((match) => match.rank === rank).sort((a, b) => a.start - b.start)
}

/** `ranges` in order and without overlaps, as one rule finds them. */
function overlapsAny(match: Match, ranges: readonly Match[]): boolean {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.end ?? 0) <= match.start) low = middle + 1
    else high = middle
  }
  const range = ranges[low]
  return range !== undefined && range.start < match.end
}
