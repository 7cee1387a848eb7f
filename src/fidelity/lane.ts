/**
 * One alignment in progress: its two feeds, its aligner, its findings. A comparison has one lane; a
 * phase-aware one has two, which run side by side so that neither has to wait until the other has read
 * everything.
 */

import { kindName } from '../tape/kinds.ts'
import type { Aligner, Placement } from './align/aligner.ts'
import { Feed, type Side } from './align/feed.ts'
import { ClockReads, type FrameOf } from './clock-reads.ts'
import type { Entry, Scope } from './comparable.ts'
import { comparePair, type PairContext } from './compare-pair.ts'
import type { DivergenceFacts, Words } from './divergence.ts'
import { EffectNumbers } from './effect-numbers.ts'
import { Ledger } from './ledger.ts'
import type { Alignment, Strictness } from './modes.ts'
import { linksOf, RecordComparer } from './record-comparer.ts'
import { RecordNumbers } from './record-numbers.ts'

export type LaneOptions = {
  readonly strictness: Strictness
  readonly scope: Scope
  readonly align: Alignment
  readonly aligner: Aligner
  readonly detail: NonNullable<PairContext['detail']>
  readonly toleratedUnmatched?: ReadonlySet<string> | undefined
  readonly frameOf?: FrameOf | undefined
  readonly isOrdered?: boolean | undefined
  readonly countsCalls?: boolean | undefined
}

export class Lane {
  readonly feeds: { readonly recorded: Feed; readonly replayed: Feed } = {
    recorded: new Feed('recorded'),
    replayed: new Feed('replayed'),
  }
  readonly ledger: Ledger
  readonly clockReads: ClockReads
  readonly #options: LaneOptions
  readonly #effects = new EffectNumbers()
  readonly #seqs = new RecordNumbers()
  readonly #aligning: Generator<Side, void, void>
  #lastMatch: Entry | null = null
  #recorded = 0
  #replayed = 0
  /** The side of which the aligner needs more, or null when it has ended. */
  needs: Side | null = null

  constructor(options: LaneOptions) {
    this.#options = options
    this.ledger = new Ledger(options.toleratedUnmatched, options.isOrdered, options.countsCalls)
    this.clockReads = new ClockReads(options.frameOf)
    const { recorded, replayed } = this.feeds
    this.#aligning = options.aligner(
      recorded,
      replayed,
      new RecordComparer(options.strictness, options.scope, this.#effects),
      this.#placement(),
    )
    this.advance()
  }

  /** Goes on until more is needed. */
  advance(): void {
    const next = this.#aligning.next()
    // The aligner has seen what is there; only what comes from here on is news to it.
    this.feeds.recorded.arrived = false
    this.feeds.replayed.arrived = false
    this.needs = next.done === true ? null : next.value
  }

  /** Recorded records that were placed here. */
  get recordedRecords(): number {
    return this.#recorded
  }

  #placement(): Placement {
    return {
      pair: (recorded, replayed, sameness) => {
        this.#recorded += 1
        this.#replayed += 1
        this.ledger.effects.recorded.passed(recorded.record.kind)
        this.ledger.effects.replayed.passed(replayed.record.kind)
        this.#seqs.pair(recorded.record.seq, replayed.record.seq)
        this.clockReads.passed(replayed.record)
        if (sameness === 'identical' && !this.#mayReferElsewhere(recorded)) {
          for (const number of linksOf(recorded)) this.#effects.pair(number, number)
          this.#lastMatch = recorded
          return
        }
        const facts = comparePair(recorded.record, replayed.record, this.#context())
        if (facts.length === 0) this.#lastMatch = recorded
        else this.ledger.add(recorded, replayed, this.#lastMatch, this.#withRead(replayed, facts))
      },
      missing: (recorded) => {
        const form = this.#options.align === 'position' ? 'ended' : 'only-recorded'
        const words: Words =
          form === 'ended'
            ? { form, index: this.#recorded }
            : { form, index: this.#recorded, kind: shortKind(recorded) }
        this.#recorded += 1
        this.ledger.effects.recorded.passed(recorded.record.kind)
        for (const number of linksOf(recorded)) this.#effects.onlyRecorded(number)
        this.clockReads.add('missing', recorded.record)
        this.ledger.add(recorded, null, this.#lastMatch, [
          unmatched(recorded, 'missing_in_replay', 'missing', words),
        ])
      },
      extra: (replayed) => {
        const form = this.#options.align === 'position' ? 'extra-at-end' : 'only-replayed'
        const words: Words = { form, index: this.#replayed, kind: shortKind(replayed) }
        this.#replayed += 1
        this.ledger.effects.replayed.passed(replayed.record.kind)
        for (const number of linksOf(replayed)) this.#effects.onlyReplayed(number)
        this.clockReads.add('extra', replayed.record)
        this.clockReads.passed(replayed.record)
        this.ledger.add(null, replayed, this.#lastMatch, [
          unmatched(replayed, 'missing_in_recorded', 'extra', words),
        ])
      },
    }
  }

  /** The facts about a clock read, with where the replay made it. */
  #withRead({ record }: Entry, facts: readonly DivergenceFacts[]): readonly DivergenceFacts[] {
    const read = this.clockReads.factsOf(record)
    if (read === null) return facts
    return facts.map((fact) => {
      const { words } = fact
      const isValue = fact.category === 'clock_read_value' || fact.category === 'clock_read_exact'
      return isValue && words.form === 'diverged' ? { ...fact, words: { ...words, read } } : fact
    })
  }

  /**
   * A request that grows from an earlier one names it by its number, which may mean another record in the
   * other run.
   */
  #mayReferElsewhere({ record }: Entry): boolean {
    const { kind } = record
    return (
      (kind.kind === 'llm_call' || kind.kind === 'effect_start') &&
      kind.request !== undefined &&
      !this.#seqs.identical
    )
  }

  #context(): PairContext {
    const { strictness, scope, detail } = this.#options
    return {
      strictness,
      scope,
      effects: this.#effects,
      seqs: this.#seqs,
      detail: this.ledger.wantsDetail ? detail : null,
    }
  }
}

function shortKind({ record }: Entry): string {
  return kindName(record.kind).slice(0, 200)
}

function unmatched(
  { record }: Entry,
  category: string,
  code: 'missing' | 'extra',
  words: Words,
): DivergenceFacts {
  const kind = kindName(record.kind).slice(0, 200)
  const [expected, actual] = code === 'missing' ? [kind, null] : [null, kind]
  return { seq: record.seq, category, code, path: null, expected, actual, payload: null, words }
}
