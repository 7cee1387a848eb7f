/**
 * Collects the findings of one comparison. Counts every divergence by category; lists only so many, and only
 * so much text, that a hostile pair of tapes with a million divergences gives a report that can be read and
 * held.
 */
import { fieldsOf } from '../base/index.ts'
import { kindName, type RecordKind } from '../tape/kinds.ts'
import type { Entry } from './comparable.ts'
import type { Divergence, DivergenceFacts, Finding, Place } from './divergence.ts'
import { EffectKeys } from './effect-keys.ts'
import { type MovedPlaces, movedFacts } from './moved-calls.ts'
import { type MovedRead, MovedReads } from './moved-reads.ts'
import { withSentence } from './sentences.ts'
import { cut } from './spelling.ts'
import { summarise } from './summary.ts'

/** Divergences beyond these are counted, not listed. */
export const MAX_LISTED = 10_000
const MAX_KEY_CHARS = 4096
/** Functions of which a call acts, and whose answer is recorded as a fact. */
const CALLED_FACT = /^(?:process\.(?:kill|umask|init|set)|dgram\.|dns\.set)/
const MAX_LISTED_CHARS = 8 * 1024 * 1024
/** Payloads are looked into for this many findings. */
const MAX_DETAILED = 200

type ListedFinding = {
  readonly recorded: Place | null
  readonly replayed: Place | null
  readonly lastMatch: Place | null
  readonly facts: readonly DivergenceFacts[]
}

export class Ledger {
  readonly #listed: ListedFinding[] = []
  readonly #categories = new Map<string, number>()
  #listedDivergences = 0
  #listedChars = 0
  divergences = 0
  findings = 0
  /** Records of a tolerated kind that only one tape has. They are neither listed nor counted as findings. */
  tolerated = 0
  readonly #toleratedUnmatched: ReadonlySet<string>
  /** Null where the order of reads does not count. */
  readonly #movedReads: MovedReads | null
  /** Filled by the lane, with every record that it places. */
  readonly effects = { recorded: new EffectKeys(), replayed: new EffectKeys() }

  /** Whether a call that is recorded as a fact counts as a call, and not as a read. */
  readonly #countsCalls: boolean

  constructor(toleratedUnmatched: ReadonlySet<string> = new Set(), isOrdered = false, countsCalls = false) {
    this.#toleratedUnmatched = toleratedUnmatched
    this.#countsCalls = countsCalls
    this.#movedReads = isOrdered ? new MovedReads() : null
  }

  /** True while a new finding would be listed with its payloads looked into. */
  get wantsDetail(): boolean {
    return this.findings < MAX_DETAILED && this.#hasRoom
  }

  add(
    recorded: Entry | null,
    replayed: Entry | null,
    lastMatch: Entry | null,
    facts: readonly DivergenceFacts[],
  ): void {
    if (facts.length === 0) return
    if (this.#isTolerated(recorded, replayed)) {
      this.tolerated += 1
      this.#addMoved(recorded, replayed, lastMatch)
      return
    }
    const { effects } = this
    this.#addFinding(
      placeOf(recorded, effects.recorded),
      placeOf(replayed, effects.replayed),
      placeOf(lastMatch),
      facts,
    )
  }

  #addFinding(
    recorded: Place | null,
    replayed: Place | null,
    lastMatch: Place | null,
    facts: readonly DivergenceFacts[],
  ): void {
    this.findings += 1
    this.divergences += facts.length
    for (const { category } of facts)
      this.#categories.set(category, (this.#categories.get(category) ?? 0) + 1)
    if (!this.#hasRoom) return
    this.#listed.push({ recorded, replayed, lastMatch, facts })
    this.#listedDivergences += facts.length
    for (const fact of facts) this.#listedChars += JSON.stringify(fact).length
  }

  /** A read that only one tape has may be the counterpart of one that only the other has. */
  #addMoved(recorded: Entry | null, replayed: Entry | null, lastMatch: Entry | null): void {
    const entry = recorded ?? replayed
    if (entry === null || this.#movedReads === null) return
    const side = recorded === null ? 'replayed' : 'recorded'
    const moved = this.#movedReads.take(side, { entry, lastMatch })
    if (moved === null) return
    this.tolerated -= 2
    const places = placesOf(moved)
    this.#addFinding(places.recorded, places.replayed, places.lastMatch, [movedFacts(places)])
  }

  #isTolerated(recorded: Entry | null, replayed: Entry | null): boolean {
    const isPair = recorded !== null && replayed !== null
    const only = isPair ? null : (recorded ?? replayed)
    if (only === null || !this.#toleratedUnmatched.has(only.record.kind.kind)) return false
    return !this.#countsCalls || callOf(only.record.kind) === null
  }

  get #hasRoom(): boolean {
    return this.#listedDivergences < MAX_LISTED && this.#listedChars < MAX_LISTED_CHARS
  }

  /**
   * `laneRecords`: recorded records that were compared here, for the sentence about a tape that ended early.
   */
  list(laneRecords: number): Finding[] {
    return this.#listed.map(({ facts, ...places }) => ({
      ...places,
      divergences: facts.map((fact) => withSentence(fact, laneRecords)),
    }))
  }

  get categories(): ReadonlyMap<string, number> {
    return this.#categories
  }
}

function placeOf(entry: Entry | null, effects?: EffectKeys): Place | null {
  if (entry === null) return null
  const { seq, kind } = entry.record
  const place = { seq, kind: kindName(kind).slice(0, 200), line: entry.line, summary: summarise(kind) }
  const key = callOf(kind)
  if (key !== null) return { ...place, key: cut(key, MAX_KEY_CHARS) }
  const effect = effects?.effectOf(kind)
  return effect === undefined ? place : { ...place, effect }
}

/** What a call is matched by: its key, or, of a subprocess that another program recorded, its command. */
function callOf(kind: RecordKind): string | null {
  if ('key' in kind && typeof kind.key === 'string') return kind.key
  if (kind.kind === 'env_read')
    return kind.name !== kind.api && CALLED_FACT.test(kind.api ?? '') ? `${kind.api} ${kind.name}` : null
  if (kind.kind !== 'process_spawn' || kind.of !== undefined || fieldsOf(kind.io).effect !== undefined)
    return null
  return [kind.program, ...kind.args].join(' ')
}

function placesOf({ recorded, replayed }: MovedRead): MovedPlaces {
  const places = { recorded: placeOf(recorded.entry), replayed: placeOf(replayed.entry) }
  if (places.recorded === null || places.replayed === null) throw new Error('a moved read has two places')
  return {
    recorded: places.recorded,
    replayed: places.replayed,
    lastMatch: placeOf(recorded.lastMatch),
    now: placeOf(replayed.lastMatch),
  }
}

export function divergencesOf(findings: readonly Finding[]): Divergence[] {
  return findings.flatMap((finding) => finding.divergences)
}
