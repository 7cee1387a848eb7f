/**
 * Collects the findings of one comparison. Counts every divergence by category; lists only so many, and only
 * so much text, that a hostile pair of tapes with a million divergences gives a report that can be read and
 * held.
 */
import { fieldsOf } from '../base/index.ts'
import { kindName, type RecordKind } from '../tape/kinds.ts'
import type { Entry } from './comparable.ts'
import type { Divergence, DivergenceFacts, Finding, Place } from './divergence.ts'
import { withSentence } from './sentences.ts'
import { cut } from './spelling.ts'
import { summarise } from './summary.ts'

/** Divergences beyond these are counted, not listed. */
export const MAX_LISTED = 10_000
const MAX_KEY_CHARS = 4096
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

  constructor(toleratedUnmatched: ReadonlySet<string> = new Set()) {
    this.#toleratedUnmatched = toleratedUnmatched
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
      return
    }
    this.findings += 1
    this.divergences += facts.length
    for (const { category } of facts)
      this.#categories.set(category, (this.#categories.get(category) ?? 0) + 1)
    if (!this.#hasRoom) return
    this.#listed.push({
      recorded: placeOf(recorded),
      replayed: placeOf(replayed),
      lastMatch: placeOf(lastMatch),
      facts,
    })
    this.#listedDivergences += facts.length
    for (const fact of facts) this.#listedChars += JSON.stringify(fact).length
  }

  #isTolerated(recorded: Entry | null, replayed: Entry | null): boolean {
    const isPair = recorded !== null && replayed !== null
    const only = isPair ? null : (recorded ?? replayed)
    return only !== null && this.#toleratedUnmatched.has(only.record.kind.kind)
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

function placeOf(entry: Entry | null): Place | null {
  if (entry === null) return null
  const { seq, kind } = entry.record
  const place = { seq, kind: kindName(kind).slice(0, 200), line: entry.line, summary: summarise(kind) }
  const key = callOf(kind)
  return key === null ? place : { ...place, key: cut(key, MAX_KEY_CHARS) }
}

/** What a call is matched by: its key, or, of a subprocess that another program recorded, its command. */
function callOf(kind: RecordKind): string | null {
  if ('key' in kind && typeof kind.key === 'string') return kind.key
  if (kind.kind !== 'process_spawn' || kind.of !== undefined || fieldsOf(kind.io).effect !== undefined)
    return null
  return [kind.program, ...kind.args].join(' ')
}

export function divergencesOf(findings: readonly Finding[]): Divergence[] {
  return findings.flatMap((finding) => finding.divergences)
}
