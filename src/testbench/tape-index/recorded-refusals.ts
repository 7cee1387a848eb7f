/** What the program was refused as a part of the recorded run: effects, and calls by their key. */
import type { Kind, TapeRecord } from '../../tape/index.ts'

/** A refusal that is part of the run, and the record that has it. */
export type Refusal = TapeRecord & { readonly kind: Kind<'divergence'> }

export class RecordedRefusals {
  readonly ofEffects = new Map<number, Refusal>()
  readonly #ofCalls = new Map<string, { readonly refusals: Refusal[]; next: number }>()

  add(record: TapeRecord): void {
    if (!isDivergence(record)) return
    const { of, refused } = record.kind
    if (of !== undefined) this.ofEffects.set(of, record)
    if (refused === undefined) return
    const known = this.#ofCalls.get(refused) ?? { refusals: [], next: 0 }
    known.refusals.push(record)
    this.#ofCalls.set(refused, known)
  }

  /** The next refusal of a call with this key. Each is used once. */
  readonly takeCall = (key: string): Refusal | null => {
    const known = this.#ofCalls.get(key)
    const refusal = known?.refusals[known.next]
    if (known !== undefined) known.next += 1
    return refusal ?? null
  }
}

function isDivergence(record: TapeRecord): record is Refusal {
  return record.kind.kind === 'divergence'
}
