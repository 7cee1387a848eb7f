/**
 * Finds the secrets in a text: one pass of the probe scan, the checks of the rules at the places that it
 * returns, and one list of spans without overlaps (spans.ts). Nothing is found inside a placeholder.
 */
import type { Begun } from './base64-view.ts'
import { begunIn } from './begun-in-base64.ts'
import { ChunkEnds } from './chunk-ends.ts'
import { type Encoding, encodedViews, inOriginal, NO_VIEWS } from './encoded-views.ts'
import { cutEscape, escapeRule, hasEscapes, hasSlashAfter } from './escapes.ts'
import { ANCHOR, INERT, type KnownIndex } from './known-index.ts'
import { KnownTraits } from './known-traits.ts'
import { payloadEnd } from './media.ts'
import { cutPercent } from './percent.ts'
import { latin1Of, ProbeScan, SEAM, SHORT } from './probe-scan.ts'
import type { RecentBytes } from './recent-bytes.ts'
import { beginsToken, type Match, RANK, type Rule } from './rule.ts'
import { type Checks, checkRule, leadStart, newChecks } from './rule-checks.ts'
import { type FoundPlain, isClean, NOTHING } from './scanned.ts'
import type { Side } from './scrubber.ts'
import { type Found, foundSpans } from './spans.ts'
import { expressionMatches, type UserExpression, wholeLines } from './user-rules.ts'

const SHORTEST_PROBE = 4
const LONGEST_UNFINISHED = 64 * 1024
/** Enough of the end of a text without any place to check to detect that a secret may begin there. */
const TAIL = 80
/** Openings of known values need more. */
const TAIL_WITH_OPENINGS = 640
const NO_MATCHES: readonly Match[] = []

export class Finder {
  readonly #scans: Readonly<Record<Side, ProbeScan<Rule>>> = {
    sent: new ProbeScan(),
    received: new ProbeScan(),
  }
  readonly #expressions: UserExpression[] = []
  readonly #leads: NonNullable<Rule['lead']>[] = []
  readonly #openings: NonNullable<Rule['opening']>[] = []
  readonly #inBase64: Rule[] = []
  #tail = TAIL
  #index: KnownIndex | null = null
  readonly #traits = new KnownTraits()
  #allowed: ReadonlySet<string> = new Set()
  /** Increases with each addition: cached results of an older number may be incomplete. */
  #version = 0

  get version(): number {
    return this.#version
  }

  /** Whether a known value has a character that separates fields, or is decoded in them. */
  get hasFormCharacters(): boolean {
    return this.#traits.hasFormCharacters
  }

  add(rule: Rule, side: Side | null = null): void {
    this.#addProbes(() => rule.probes(), rule, side)
  }

  addExpression(expression: UserExpression): void {
    this.#version += 1
    this.#expressions.push(expression)
  }

  /** Values that are never a secret, even if a rule matches. */
  allow(values: readonly string[]): void {
    this.#version += 1
    this.#allowed = new Set(values)
  }

  addProbe(probe: string, rule: Rule): void {
    this.#addProbes(() => [probe], rule, null)
  }

  /** Exact values, searched for with their own index. */
  addIndex(index: KnownIndex): void {
    this.#index = index
    for (const scan of [this.#scans.sent, this.#scans.received]) scan.addIndex(index, index.rule)
  }

  /** Call this whenever a value is added. */
  noteKnown(value: string): void {
    this.#version += 1
    this.#traits.add(value)
    for (const scan of [this.#scans.sent, this.#scans.received]) scan.findCodes()
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
      this.#scans.sent.addHint(probes)
      return
    }
    if (side !== 'received') this.#scans.sent.add(probes, rule, rule.atWordStart)
    if (side !== 'sent' && rule.rank !== RANK.heuristic)
      this.#scans.received.add(probes, rule, rule.atWordStart)
  }

  /** True if JSON of this side may contain a field whose name counts: then its structure must be parsed. */
  mayNameSecrets(text: string, side: Side): boolean {
    return side === 'sent' && (this.#scans.sent.hasHint(text) || hasEscapes(text))
  }

  /** True if any rule must check these bytes. */
  mayHold(bytes: Uint8Array, side: Side): boolean {
    return this.#expressions.length > 0 || !this.#scans[side].isCleanAfter(null, '', bytes, true)
  }

  /**
   * True if no rule has a place to check in these bytes, nor where they meet what comes before them: the last bytes of
   * the stream, then those that are held back. The same must already be true for those. `withNames`: there is no name
   * of a field either, so `mayHold` is false for the bytes.
   */
  isClear(before: RecentBytes, held: string, bytes: Uint8Array, side: Side, withNames = false): boolean {
    return this.#expressions.length === 0 && this.#scans[side].isCleanAfter(before, held, bytes, withNames)
  }

  /** The same for bytes of which `mayHold` is false: only where they meet what comes before them. */
  isClearAt(before: RecentBytes, bytes: Uint8Array, side: Side): boolean {
    const seam = before.text.slice(-SEAM) + latin1Of(bytes.subarray(0, SEAM))
    return this.#expressions.length === 0 && isClean(this.#scans[side].scanText(seam))
  }

  /** True if no rule has a place to check in this text. */
  isClearText(text: string, side: Side): boolean {
    return this.#expressions.length === 0 && isClean(this.#scans[side].scanText(text))
  }

  /**
   * The offset from which a text without matches may be the beginning of a secret; its length if there is
   * none.
   */
  certainOfClear(text: string, side: Side): number {
    const most = this.#index?.hasOpenings === true ? TAIL_WITH_OPENINGS : this.#tail
    const tail = text.length > most ? text.slice(-most) : text
    return text.length - tail.length + this.#collect(tail, side, false, NO_VIEWS).certain
  }

  /** How many bytes are after it, exactly as `find` returns it, by the end of the text; -1 if that is not enough. */
  undecidedAtEnd(bytes: Uint8Array, side: Side): number {
    // The scan of a short text has other places than that of its bytes.
    if (bytes.byteLength <= SHORT || this.#traits.hasControls || this.#scans[side].hasControls) return -1
    return this.#ends[side].undecidedOf(bytes, this.#version)
  }

  readonly #ends: Readonly<Record<Side, ChunkEnds>> = {
    sent: new ChunkEnds((end) => this.#exactlyCertain(end, 'sent')),
    received: new ChunkEnds((end) => this.#exactlyCertain(end, 'received')),
  }

  /** The same as an offset, exactly as `find` returns it; -1 if `find` must be called. */
  exactlyCertainOfClear(text: string, side: Side): number {
    return text.length <= SHORT ? -1 : this.#exactlyCertain(text, side)
  }

  #exactlyCertain(text: string, side: Side): number {
    if (cutEscape(text) > 0 || cutPercent(text) > 0) return -1
    const certain = this.#cutAt(text, side)
    const plain = { matches: NO_MATCHES, certain, escaped: false, scanned: NOTHING }
    const found = this.#withDecoded(text, side, false, NO_VIEWS, plain)
    return found.matches.length === 0 ? found.certain : -1
  }

  /**
   * Two lengths, counted from the end of a text that may continue. `held`: what may be the beginning of a
   * secret. `masked`: what is so much of a known value, a key or a placeholder that it must not be written.
   */
  unfinished(text: string, side: Side): { readonly held: number; readonly masked: number } {
    const tail = text.length > LONGEST_UNFINISHED ? text.slice(-LONGEST_UNFINISHED) : text
    const checks: Checks = newChecks(tail, false, tail.length)
    for (const { at, owner } of this.#scans[side].scanText(tail).places)
      checkRule(checks, owner, at, this.#isAllowed)
    const found = this.find(tail, side, false)
    const opened = this.#openedIn(tail)
    const isCut = tail.length - opened >= SHORTEST_PROBE && !found.spans.some(({ end }) => end > opened)
    const begun = isCut ? Math.min(checks.begun, opened) : checks.begun
    return { held: tail.length - found.certain, masked: tail.length - begun }
  }

  /** True if it is shorter than every probe. */
  isTooShort(text: string): boolean {
    return text.length < SHORTEST_PROBE && this.#expressions.length === 0
  }

  /** `inMedia`: the text begins inside the payload of a data URI, where only exact values count. */
  find(text: string, side: Side, final: boolean, inMedia = false): Found {
    const { matches, certain } = this.#collect(text, side, final, NO_VIEWS)
    if (!inMedia) return foundSpans(text, matches, certain)
    const media = { start: 0, end: payloadEnd(text, 0), kind: 'data-uri', rank: RANK.media }
    return foundSpans(text, [media, ...matches], certain)
  }

  /** The known values in a whole text, whatever else is found there. */
  knownIn(text: string, side: Side): Found['spans'] {
    const { matches } = this.#collect(text, side, true, NO_VIEWS)
    const known = matches.filter(({ rank }) => rank <= RANK.known)
    return foundSpans(text, known, text.length).spans
  }

  /** Searches the text itself, and its decoded forms if something in it is encoded. */
  #collect(
    whole: string,
    side: Side,
    final: boolean,
    undone: readonly Encoding[],
  ): { matches: readonly Match[]; certain: number } {
    // Half an escape is undecided: for the rules the text ends before it.
    const cut = final ? 0 : Math.max(cutEscape(whole), cutPercent(whole))
    const text = cut === 0 ? whole : whole.slice(0, -cut)
    return this.#withDecoded(text, side, final, undone, this.#findIn(text, side, final))
  }

  #withDecoded(
    text: string,
    side: Side,
    final: boolean,
    undone: readonly Encoding[],
    plain: FoundPlain,
  ): { matches: readonly Match[]; certain: number } {
    let { certain } = plain
    let matches = plain.matches
    const encoded = encodedViews(text, final, plain, undone, this.#begun[side])
    if (encoded === null) return plain
    certain = Math.min(certain, encoded.certain)
    for (const [encoding, view] of encoded.views) {
      const seen = this.#collect(view.text, side, view.final, [...undone, encoding])
      if (seen.certain < view.text.length) certain = Math.min(certain, view.from(seen.certain))
      if (seen.matches.length > 0) matches = [...matches, ...inOriginal(encoding, view, seen.matches)]
    }
    return { matches, certain }
  }

  readonly #begun: Readonly<Record<Side, Begun>> = {
    sent: this.#begunOf('sent'),
    received: this.#begunOf('received'),
  }

  #begunOf(side: Side): Begun {
    return begunIn({
      knows: () => this.#traits.hasValues,
      cutAt: (text) => this.#cutAt(text, side),
      isClean: (text) => isClean(this.#scans[side].scanText(text)),
    })
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
      checkRule(checks, owner, at, this.#isAllowed)
    }
    for (const at of scanned.base64)
      for (const rule of this.#inBase64) checkRule(checks, rule, at, this.#isAllowed)
    certain = checks.certain
    const lines = final || this.#expressions.length === 0 ? text.length : wholeLines(text)
    certain = Math.min(certain, lines)
    for (const match of expressionMatches(this.#expressions, text, side))
      if (match.end <= lines && !this.#isAllowed(text, match)) matches.push(match)
    return { matches, certain, escaped, scanned }
  }

  /**
   * The offset from which the end of the text may be the beginning of a secret, of an escape, or of
   * characters that a rule includes before its probe.
   */
  #cutAt(text: string, side: Side): number {
    let cut = text.length - this.#scans[side].cutProbe(text, beginsToken)
    if (this.#index?.isEmpty === false) cut = Math.min(cut, leadStart(text, text.length, INERT, ANCHOR - 1))
    cut = Math.min(cut, this.#openedIn(text))
    for (const { table, most, least = 1 } of this.#leads) {
      const start = leadStart(text, cut, table, most)
      if (cut - start >= least) cut = start
    }
    return cut
  }

  /** Where the letters of a known value begin that come before the part by which it is found. */
  #openedIn(text: string): number {
    let opened = this.#index?.openingIn(text) ?? text.length
    for (const opening of this.#openings) opened = Math.min(opened, opening(text))
    return opened
  }

  readonly #isAllowed = (text: string, match: Match): boolean =>
    this.#allowed.size > 0 && this.#allowed.has(text.slice(match.start, match.end))
}
