/**
 * Finds what has to go in a text: one pass of the probe scan, the checks of the rules at the places it names,
 * and one list of spans without overlaps.
 *
 * Overlapping matches become one span, so no tail of a secret is left standing behind another one. Nothing is
 * found inside a placeholder.
 */
import { type Begun, base64Views } from './base64-view.ts'
import { type CharClass, isIn, TOKEN } from './char-class.ts'
import { cutEscape, escapeRule, hasEscapes, hasSlashAfter, unescapedView } from './escapes.ts'
import { Input } from './input.ts'
import { ANCHOR, INERT, type KnownIndex } from './known-index.ts'
import { payloadEnd } from './media.ts'
import { cutPercent, percentView } from './percent.ts'
import { ProbeScan, type Scanned } from './probe-scan.ts'
import { beginsToken, type Match, RANK, type Rule } from './rule.ts'
import type { Side } from './scrubber.ts'
import type { UserExpression } from './user-rules.ts'
import { utf16View } from './utf16-view.ts'
import type { View } from './view.ts'

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
  /** The text ends within the payload of a data URI. */
  readonly inMedia: boolean
}

/** Beyond this a line counts as whole. */
const LONGEST_LINE = 4096
const SHORTEST_PROBE = 4
/** So much of a chunk shows what has begun before it: base64 of text, a window of a known value, a probe. */
const SEAM = 16
const LONGEST_UNFINISHED = 64 * 1024
/**
 * So much of a known value or of a placeholder, and so much of a key, is masked at the end of a file that
 * goes on.
 */
const LEAST_OF_VALUE = 4
const LEAST_OF_KEY = 12
/**
 * So much of a text in which no rule has to look shows whether a secret may begin at its end; more for
 * openings of known values.
 */
const TAIL = 80
const TAIL_WITH_OPENINGS = 640
const NO_MATCHES: readonly Match[] = []
const NOTHING: readonly Span[] = []

/** In the text as it stands, and what shows that it is encoded. */
type FoundPlain = {
  readonly matches: readonly Match[]
  readonly certain: number
  readonly escaped: boolean
  readonly scanned: Scanned<Rule>
}

/** What the checks of the rules in one text have shown so far. */
type Checks = {
  readonly input: Input
  readonly matches: Match[]
  /** Up to where each rule has found something. */
  readonly ends: Map<Rule, number>
  certain: number
  /** The end of the last placeholder. */
  keptEnd: number
  /**
   * Where a known value, a key or a placeholder has begun that the text has not all of; the end of the text
   * if there is none.
   */
  begun: number
}

type Encoding = 'escapes' | 'percent' | 'utf16' | 'base64'
const NO_VIEWS: readonly Encoding[] = []
type Encoded = { readonly views: readonly (readonly [Encoding, View])[]; readonly certain: number }
/** Encodings of encodings: JSON in base64 in a URL, and no deeper. */
const MOST_UNDONE = 3

export class Finder {
  readonly #scans: Readonly<Record<Side, ProbeScan<Rule>>> = {
    sent: new ProbeScan(),
    received: new ProbeScan(),
  }

  readonly #hints = new ProbeScan<Rule>()
  readonly #expressions: UserExpression[] = []
  readonly #leads: NonNullable<Rule['lead']>[] = []
  readonly #openings: NonNullable<Rule['opening']>[] = []
  readonly #inBase64: Rule[] = []
  #tail = TAIL
  #index: KnownIndex | null = null
  #knows = false
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

  /** Exact values, looked for by an index of their own. */
  addIndex(index: KnownIndex): void {
    this.#index = index
    for (const scan of [this.#scans.sent, this.#scans.received]) scan.addIndex(index, index.rule)
  }

  /** To be called whenever a value was added to the index. */
  noteKnown(): void {
    this.#version += 1
    this.#knows = true
  }

  #addProbes(probes: () => readonly string[], rule: Rule, side: Side | null): void {
    this.#version += 1
    if (rule.lead !== undefined) this.#leads.push(rule.lead)
    if (rule.opening !== undefined) {
      this.#openings.push(rule.opening)
      if (rule.rank === RANK.known) this.#tail = TAIL_WITH_OPENINGS
    }
    if (rule.inBase64 === true) this.#inBase64.push(rule)
    if (rule.rank === RANK.hint) {
      this.#hints.add(probes, rule)
      return
    }
    if (side !== 'received') this.#scans.sent.add(probes, rule, rule.atWordStart)
    if (side !== 'sent' && rule.rank !== RANK.heuristic)
      this.#scans.received.add(probes, rule, rule.atWordStart)
  }

  /** True if JSON of this side may hold a field whose name counts: then its structure has to be looked at. */
  mayNameSecrets(text: string, side: Side): boolean {
    return side === 'sent' && (this.#hints.inText(text).length > 0 || hasEscapes(text))
  }

  /** True if a rule has to look at these bytes at all. */
  mayHold(bytes: Uint8Array, side: Side): boolean {
    if (this.#expressions.length > 0) return true
    if (side === 'sent' && this.#hints.inBytes(bytes).length > 0) return true
    return !isClean(this.#scans[side].scanBytes(bytes))
  }

  /**
   * True if no rule has to look anywhere in these bytes, nor where they meet the text before, of which this
   * must be true already.
   */
  isClear(before: string, bytes: Uint8Array, side: Side): boolean {
    if (this.#expressions.length > 0) return false
    const scan = this.#scans[side]
    if (!isClean(scan.scanBytes(bytes))) return false
    return isClean(scan.scanText(before.slice(-SEAM) + latin1Of(bytes.subarray(0, SEAM))))
  }

  /** True if no rule has to look anywhere in this text. */
  isClearText(text: string, side: Side): boolean {
    return this.#expressions.length === 0 && isClean(this.#scans[side].scanText(text))
  }

  /** From where on a clear text may be the beginning of a secret; its length if it is none. */
  certainOfClear(text: string, side: Side): number {
    const tail = text.length > this.#tail ? text.slice(-this.#tail) : text
    return text.length - tail.length + this.#collect(tail, side, false, NO_VIEWS).certain
  }

  /**
   * Counted from the end of a text that goes on: what may be the beginning of a secret (`held`), and what is
   * so much of a known value, of a key or of a placeholder that it must not be shown (`masked`).
   */
  unfinished(text: string, side: Side): { readonly held: number; readonly masked: number } {
    const tail = text.length > LONGEST_UNFINISHED ? text.slice(-LONGEST_UNFINISHED) : text
    const checks: Checks = newChecks(tail, false, tail.length)
    for (const { at, owner } of this.#scans[side].scanText(tail).places) this.#check(checks, owner, at)
    const held = tail.length - this.find(tail, side, false).certain
    return { held, masked: tail.length - checks.begun }
  }

  /** True if it is shorter than every probe. */
  isTooShort(text: string): boolean {
    return text.length < SHORTEST_PROBE && this.#expressions.length === 0
  }

  /** `inMedia`: the text begins within the payload of a data URI, in which only exact values count. */
  find(text: string, side: Side, final: boolean, inMedia = false): Found {
    const { matches, certain } = this.#collect(text, side, final, NO_VIEWS)
    if (!inMedia) return found(text, matches, certain)
    const media = { start: 0, end: payloadEnd(text, 0), kind: 'data-uri', rank: RANK.media }
    return found(text, [media, ...matches], certain)
  }

  /** In the text itself, and in what it stands for where something in it is encoded. */
  #collect(
    whole: string,
    side: Side,
    final: boolean,
    undone: readonly Encoding[],
  ): { matches: readonly Match[]; certain: number } {
    // Half an escape decides nothing: to a rule the text ends before it.
    const cut = final ? 0 : Math.max(cutEscape(whole), cutPercent(whole))
    const text = cut === 0 ? whole : whole.slice(0, -cut)
    const plain = this.#findIn(text, side, final)
    let { certain } = plain
    let matches = plain.matches
    const encoded = this.#viewsOf(text, side, final, plain, undone)
    if (encoded === null) return plain
    certain = Math.min(certain, encoded.certain)
    for (const [encoding, view] of encoded.views) {
      const seen = this.#collect(view.text, side, view.final, [...undone, encoding])
      if (seen.certain < view.text.length) certain = Math.min(certain, view.from(seen.certain))
      if (seen.matches.length === 0) continue
      const inText = seen.matches.map((match) => ({
        ...match,
        start: view.start(match.start),
        end: view.end(match.end),
      }))
      matches = [
        ...matches,
        ...inText.filter((match) => match.rank !== RANK.media && match.end > match.start),
      ]
    }
    return { matches, certain }
  }

  #viewsOf(
    text: string,
    side: Side,
    final: boolean,
    { escaped, scanned }: FoundPlain,
    undone: readonly Encoding[],
  ): Encoded | null {
    if (undone.length >= MOST_UNDONE) return null
    const escapes = escaped && !undone.includes('escapes') ? unescapedView(text, final) : null
    const percent = !scanned.hasPercent || undone.includes('percent') ? null : percentView(text, final)
    const wide = !scanned.hasZero || undone.includes('utf16') ? null : utf16View(text, final)
    const isDeep = undone.length === 2 && undone[0] === 'base64' && undone[1] === 'base64'
    const base64 = isDeep ? null : base64Views(text, final, scanned.base64, this.#begun[side])
    if (escapes === null && percent === null && wide === null && base64 === null) return null
    const views: (readonly [Encoding, View])[] = []
    if (escapes !== null) views.push(['escapes', escapes])
    if (percent !== null) views.push(['percent', percent])
    if (wide !== null) views.push(['utf16', wide])
    for (const view of base64?.views ?? []) views.push(['base64', view])
    return { views, certain: base64?.rest ?? text.length }
  }

  readonly #begun: Readonly<Record<Side, Begun>> = {
    sent: this.#begunOf('sent', this.#begunOf('sent', null)),
    received: this.#begunOf('received', this.#begunOf('received', null)),
  }

  /** `inside`: what is asked about base64 in what base64 stands for; null where that is deep enough. */
  #begunOf(side: Side, inside: Begun | null): Begun {
    return {
      mayGoOn: (text) =>
        this.#cutAt(text, side) < text.length ||
        cutEscape(text) > 0 ||
        cutPercent(text) > 0 ||
        !isClean(this.#scans[side].scanText(text)) ||
        (inside !== null && base64Views(text, false, [], inside) !== null),
      // A key at the beginning of a word, a known value anywhere.
      mayBegin: (text) => this.#knows || !isIn(TOKEN, text, text.length - 1),
    }
  }

  #findIn(text: string, side: Side, final: boolean): FoundPlain {
    const scanned = this.#scans[side].scanText(text)
    const { places } = scanned
    let certain = final ? text.length : this.#cutAt(text, side)
    if (places.length === 0 && scanned.base64.length === 0 && this.#expressions.length === 0)
      return { matches: NO_MATCHES, certain, escaped: false, scanned }
    const checks = newChecks(text, final, certain)
    const { matches } = checks
    let escaped = false
    for (const { at, owner } of places) {
      if (!escaped && (owner === escapeRule || (owner.mayHoldSlash === true && hasSlashAfter(text, at))))
        escaped = true
      this.#check(checks, owner, at)
    }
    for (const at of scanned.base64) for (const rule of this.#inBase64) this.#check(checks, rule, at)
    certain = checks.certain
    const lines = final || this.#expressions.length === 0 ? text.length : wholeLines(text)
    certain = Math.min(certain, lines)
    for (const { name, expression, side: only } of this.#expressions) {
      if (only !== null && only !== side) continue
      for (const found of text.matchAll(expression)) {
        const match = { start: found.index, end: found.index + found[0].length, kind: name, rank: RANK.shape }
        if (match.end > match.start && match.end <= lines && !this.#isAllowed(text, match))
          matches.push(match)
      }
    }
    return { matches, certain, escaped, scanned }
  }

  #check(checks: Checks, rule: Rule, at: number): void {
    const { input, ends } = checks
    // A rule is not asked again inside of what it has found: that keeps a row of prefixes linear.
    if (at < (ends.get(rule) ?? 0)) return
    input.touchedEnd = false
    input.undecidedFrom = at
    const match = rule.check(input, at)
    if (!input.final && input.touchedEnd) {
      const lead = rule.lead === undefined ? at : leadStart(input.text, at, rule.lead.table, rule.lead.most)
      const from = Math.min(input.undecidedFrom, lead, match?.start ?? at)
      // A placeholder is certain, whatever a rule sees in its words.
      checks.certain = Math.min(checks.certain, at < checks.keptEnd ? Math.max(from, checks.keptEnd) : from)
      if (match === null && isBegun(rule, input.text.length - from))
        checks.begun = Math.min(checks.begun, from)
      if (rule.rank !== RANK.known) ends.set(rule, input.text.length)
    } else if (match !== null && rule.rank !== RANK.known) ends.set(rule, match.end)
    if (match === null || match.end <= match.start || this.#isAllowed(input.text, match)) return
    checks.matches.push(match)
    if (match.rank === RANK.keep) checks.keptEnd = match.end
  }

  /**
   * From where on the end of the text may be the beginning of a secret, of an escape, or of what a rule takes
   * with it.
   */
  #cutAt(text: string, side: Side): number {
    let cut = text.length - this.#scans[side].cutProbe(text, beginsToken)
    if (this.#index !== null && !this.#index.isEmpty)
      cut = Math.min(cut, leadStart(text, text.length, INERT, ANCHOR - 1))
    for (const opening of this.#openings) cut = Math.min(cut, opening(text))
    for (const { table, most, least = 1 } of this.#leads) {
      const start = leadStart(text, cut, table, most)
      if (cut - start >= least) cut = start
    }
    return cut
  }

  #isAllowed(text: string, match: Match): boolean {
    return this.#allowed.size > 0 && this.#allowed.has(text.slice(match.start, match.end))
  }
}

function newChecks(text: string, final: boolean, certain: number): Checks {
  const input = new Input(text, final)
  return { input, matches: [], ends: new Map(), certain, keptEnd: 0, begun: text.length }
}

function isBegun(rule: Rule, length: number): boolean {
  if (rule.rank === RANK.known || rule.rank === RANK.keep) return length >= LEAST_OF_VALUE
  return rule.isKey === true && length >= LEAST_OF_KEY
}

function isClean({ places, base64, hasPercent, hasZero }: Scanned<Rule>): boolean {
  return places.length === 0 && base64.length === 0 && !hasPercent && !hasZero
}

function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function leadStart(text: string, at: number, table: CharClass, most: number): number {
  let start = at
  while (start > 0 && at - start < most && isIn(table, text, start - 1)) start -= 1
  return start
}

/** A user's expression sees whole lines, since nothing else says where it may end. */
function wholeLines(text: string): number {
  const start = text.lastIndexOf('\n') + 1
  return text.length - start > LONGEST_LINE ? text.length : start
}

function found(text: string, matches: readonly Match[], certain: number): Found {
  if (matches.length === 0) return { spans: NOTHING, certain, inMedia: false }
  const inMedia = matches.some((match) => match.rank === RANK.media && match.end === text.length)
  const spans = merged(matches)
  // What is open may have grown together with what is not: then all of it waits.
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
