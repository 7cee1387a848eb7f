/**
 * Finds what has to go in a text: one pass of the probe scan, the checks of the rules at the places it names, and one list of spans without overlaps.
 *
 * Overlapping matches become one span, so no tail of a secret is left standing behind another one. Nothing is found inside a placeholder.
 */
import { escapeRule, hasEscapes, hasSlashAfter, unescapedView } from './escapes.ts'
import { ProbeScan } from './probe-scan.ts'
import { beginsToken, type Match, RANK, type Rule } from './rule.ts'
import type { Side } from './scrubber.ts'
import type { UserExpression } from './user-rules.ts'

export type Span = {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly rank: Match['rank']
  readonly placeholder?: string
  readonly learn?: Match['learn']
}

export type Found = {
  /** In order, apart from each other. */
  readonly spans: readonly Span[]
  /** From here on nothing is certain before more text comes; the length of the text if all is. */
  readonly certain: number
}

/** Beyond this a line counts as whole. */
const LONGEST_LINE = 4096
const SHORTEST_PROBE = 4
const NO_MATCHES: readonly Match[] = []
const NOTHING: readonly Span[] = []

export class Finder {
  readonly #scans: Readonly<Record<Side, ProbeScan<Rule>>> = { sent: new ProbeScan(), received: new ProbeScan() }

  readonly #hints = new ProbeScan<Rule>()
  readonly #expressions: UserExpression[] = []
  #allowed: ReadonlySet<string> = new Set()
  /** Counts what has been added: another number means that another answer is possible. */
  #version = 0

  get version(): number {
    return this.#version
  }

  add(rule: Rule, side: Side | null = null): void {
    this.#addProbes(() => rule.probes(), rule, side)
  }

  addExpression(expression: UserExpression): void {
    this.#version += 1
    this.#expressions.push(expression)
  }

  /** Values that are never a secret, whatever a rule says. */
  allow(values: readonly string[]): void {
    this.#version += 1
    this.#allowed = new Set(values)
  }

  addProbe(probe: string, rule: Rule): void {
    this.#addProbes(() => [probe], rule, null)
  }

  #addProbes(probes: () => readonly string[], rule: Rule, side: Side | null): void {
    this.#version += 1
    if (rule.rank === RANK.hint) {
      this.#hints.add(probes, rule)
      return
    }
    if (side !== 'received') this.#scans.sent.add(probes, rule, rule.atWordStart)
    if (side !== 'sent' && rule.rank !== RANK.heuristic) this.#scans.received.add(probes, rule, rule.atWordStart)
  }

  /** True if JSON of this side may hold a field whose name counts: then its structure has to be looked at. */
  mayNameSecrets(text: string, side: Side): boolean {
    return side === 'sent' && (this.#hints.inText(text).length > 0 || hasEscapes(text))
  }

  /** True if a rule has to look at these bytes at all. */
  mayHold(bytes: Uint8Array, side: Side): boolean {
    if (this.#expressions.length > 0) return true
    if (side === 'sent' && this.#hints.inBytes(bytes).length > 0) return true
    return this.#scans[side].inBytes(bytes).length > 0
  }

  /** True if no rule has to look anywhere in these bytes and what stands before them. */
  isClear(before: string, bytes: Uint8Array, side: Side): boolean {
    if (this.#expressions.length > 0) return false
    const scan = this.#scans[side]
    if (scan.inBytes(bytes).length > 0 || scan.inText(before).length > 0) return false
    const seam = before.slice(-3) + Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(3, bytes.byteLength)).toString('latin1')
    return scan.inText(seam).length === 0
  }

  /** How many characters at the end may be the beginning of a probe, and so of a secret. */
  cutProbe(text: string, side: Side): number {
    return this.#scans[side].cutProbe(text, beginsToken)
  }

  /** True if it is shorter than every probe. */
  isTooShort(text: string): boolean {
    return text.length < SHORTEST_PROBE && this.#expressions.length === 0
  }

  find(text: string, side: Side, final: boolean): Found {
    const plain = this.#findIn(text, side, final)
    if (!plain.escaped) return found(plain.matches, plain.certain)
    const view = unescapedView(text)
    const seen = this.#findIn(view.text, side, final)
    const back = (at: number): number => view.offsets[at] ?? text.length
    const matches = seen.matches.map((match) => ({ ...match, start: back(match.start), end: back(match.end) }))
    return found([...plain.matches, ...matches], Math.min(plain.certain, back(seen.certain)))
  }

  #findIn(text: string, side: Side, final: boolean): { matches: readonly Match[]; certain: number; escaped: boolean } {
    const matches: Match[] = []
    const places = this.#scans[side].inText(text)
    if (places.length === 0 && this.#expressions.length === 0) return { matches: NO_MATCHES, certain: text.length, escaped: false }
    const ends = new Map<Rule, number>()
    let certain = text.length
    let escaped = false
    for (const { at, owner } of places) {
      if (!escaped && (owner === escapeRule || (owner.mayHoldSlash === true && hasSlashAfter(text, at)))) escaped = true
      // A rule is not asked again inside of what it has found: that keeps a row of prefixes linear.
      if (at < (ends.get(owner) ?? 0)) continue
      const match = owner.check({ text, final }, at)
      if (match === null) continue
      if (match.open) {
        certain = Math.min(certain, match.start)
        ends.set(owner, text.length)
      } else ends.set(owner, match.end)
      if (match.end > match.start && !this.#isAllowed(text, match)) matches.push(match)
    }
    const lines = final || this.#expressions.length === 0 ? text.length : wholeLines(text)
    certain = Math.min(certain, lines)
    for (const { name, expression, side: only } of this.#expressions) {
      if (only !== null && only !== side) continue
      for (const found of text.matchAll(expression)) {
        const match = { start: found.index, end: found.index + found[0].length, kind: name, rank: RANK.shape, open: false }
        if (match.end > match.start && match.end <= lines && !this.#isAllowed(text, match)) matches.push(match)
      }
    }
    return { matches, certain, escaped }
  }

  #isAllowed(text: string, match: Match): boolean {
    return this.#allowed.size > 0 && this.#allowed.has(text.slice(match.start, match.end))
  }
}

/** A user's expression sees whole lines, since nothing else says where it may end. */
function wholeLines(text: string): number {
  const start = text.lastIndexOf('\n') + 1
  return text.length - start > LONGEST_LINE ? text.length : start
}

function found(matches: readonly Match[], certain: number): Found {
  if (matches.length === 0) return { spans: NOTHING, certain }
  const spans = merged(matches)
  // What is open may have grown together with what is not: then all of it waits.
  const straddling = spans.find((span) => span.start < certain && span.end > certain)
  return { spans, certain: straddling?.start ?? certain }
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
    else if (match.end > last.end) spans[spans.length - 1] = { ...last, end: match.end }
  }
  return spans
}

function ofRank(matches: readonly Match[], rank: Match['rank']): Match[] {
  return matches.filter((match) => match.rank === rank).sort((a, b) => a.start - b.start)
}

/** `ranges` in order and apart, as one rule finds them. */
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
