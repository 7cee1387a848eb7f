/**
 * What a replay noticed while it ran: records of the kind `divergence`. They are no part of the run itself,
 * so they are not aligned with its records. Each one that only one tape has is a finding, in its own words.
 */
import type { Side } from './align/feed.ts'
import type { Entry } from './comparable.ts'
import type { DivergenceFacts } from './divergence.ts'
import type { Ledger } from './ledger.ts'

const MAX_HELD = 10_000

export class Noticed {
  readonly #held: { readonly recorded: Entry[]; readonly replayed: Entry[] } = { recorded: [], replayed: [] }

  /** True if the record was taken. */
  take(side: Side, entry: Entry): boolean {
    if (entry.record.kind.kind !== 'divergence') return false
    if (this.#held[side].length < MAX_HELD) this.#held[side].push(entry)
    return true
  }

  addTo(ledger: Ledger): void {
    const left = new Map<string, Entry[]>()
    const keyOf = ({ record }: Entry): string => JSON.stringify(record.kind)
    for (const entry of this.#held.recorded)
      left.set(keyOf(entry), [...(left.get(keyOf(entry)) ?? []), entry])
    const onlyReplayed = this.#held.replayed.filter((entry) => left.get(keyOf(entry))?.shift() === undefined)
    for (const entry of [...left.values()].flat()) ledger.add(entry, null, null, factsOf(entry))
    for (const entry of onlyReplayed) ledger.add(null, entry, null, factsOf(entry))
  }
}

function factsOf({ record }: Entry): DivergenceFacts[] {
  const { kind } = record
  if (kind.kind !== 'divergence') return []
  const { category, expected, actual, path, at, message } = kind
  return [
    {
      seq: at,
      category,
      code: 'replay',
      path,
      expected,
      actual,
      payload: null,
      words: { form: 'noticed', message },
    },
  ]
}
