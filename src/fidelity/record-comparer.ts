/**
 * When two records count as the same, for one lane of a comparison. Two answers, both cheap: the same in
 * content (the fields of the record), and the same exactly (also its times, where the lane is strict, and the
 * effects that it refers to).
 *
 * Decision 0031.
 */
import type { Side } from './align/feed.ts'
import {
  contentKey,
  type Entry,
  type Scope,
  sameKindText,
  sameTimes,
  strictKey,
  type Values,
} from './comparable.ts'
import type { EffectNumbers } from './effect-numbers.ts'
import type { Strictness } from './modes.ts'
import { kindRules } from './rules.ts'

/**
 * `identical`: the same text on both lines. `equal`: other words for the same content, as far as the hashes
 * of its payloads decide.
 */
export type Sameness = 'identical' | 'equal' | 'different'

export class RecordComparer {
  readonly strictness: Strictness
  readonly scope: Scope
  readonly #effects: EffectNumbers

  constructor(strictness: Strictness, scope: Scope, effects: EffectNumbers) {
    this.strictness = strictness
    this.scope = scope
    this.#effects = effects
  }

  /** One whose numbers can be tried out. */
  copy(): RecordComparer {
    return new RecordComparer(this.strictness, this.scope, this.#effects.copy())
  }

  /** Takes note of the numbers of a pair, or of a record that only one run has. */
  place(recorded: Entry | null, replayed: Entry | null): void {
    const [left, right] = [linksOf(recorded), linksOf(replayed)]
    if (replayed === null) for (const number of left) this.#effects.onlyRecorded(number)
    else if (recorded === null) for (const number of right) this.#effects.onlyReplayed(number)
    else if (recorded.record.kind.kind === replayed.record.kind.kind)
      for (const [at, number] of left.entries()) this.#effects.pair(number, right[at] ?? number)
  }

  exact(recorded: Entry, replayed: Entry): Sameness {
    if (this.strictness === 'strict' && !sameTimes(recorded.record, replayed.record)) return 'different'
    if (!this.sameLinks(recorded, replayed)) return 'different'
    if (sameKindText(recorded, replayed)) return 'identical'
    if (this.strictness === 'semantic') return this.sameContent(recorded, replayed) ? 'equal' : 'different'
    return strictKey(recorded.record, this.scope) === strictKey(replayed.record, this.scope)
      ? 'equal'
      : 'different'
  }

  sameContent(recorded: Entry, replayed: Entry): boolean {
    return sameKindText(recorded, replayed) || this.contentKey(recorded) === this.contentKey(replayed)
  }

  /** True where the records are of different kinds: then there is nothing to compare. */
  sameLinks({ record }: Entry, replayed: Entry): boolean {
    const links = kindRules().get(record.kind.kind)?.links
    if (links === undefined || links.length === 0 || replayed.record.kind.kind !== record.kind.kind)
      return true
    const [left, right] = [record.kind as Values, replayed.record.kind as Values]
    return links.every((rule) => this.#effects.agree(left[rule.name] as number, right[rule.name] as number))
  }

  contentKey({ record }: Entry): string {
    return contentKey(record.kind, this.scope)
  }

  /**
   * An order of records that does not depend on which run they are from: for breaking ties the same way in
   * both directions.
   */
  orderKey(entry: Entry): string {
    return `${strictKey(entry.record, this.scope)}\n${linksOf(entry).join(' ')}`
  }

  /** Equal for records that are the same exactly; numbers of both runs are spelled alike. */
  exactKey({ record }: Entry, side: Side): string {
    const key =
      this.strictness === 'strict' ? strictKey(record, this.scope) : contentKey(record.kind, this.scope)
    const links = kindRules().get(record.kind.kind)?.links ?? []
    const values = record.kind as Values
    return links.reduce(
      (longer, { name }) => `${longer}\n${this.#effects.spelled(values[name] as number, side)}`,
      key,
    )
  }
}

const NO_LINKS: readonly number[] = []

export function linksOf(entry: Entry | null): readonly number[] {
  const links = entry === null ? undefined : kindRules().get(entry.record.kind.kind)?.links
  if (entry === null || links === undefined || links.length === 0) return NO_LINKS
  const values = entry.record.kind as Values
  return links.map(({ name }) => values[name] as number)
}
