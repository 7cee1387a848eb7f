/**
 * The keys of effects by their numbers, of one run: an outcome has the number of its effect only, and a report
 * names the call that it belongs to.
 *
 * Bounded: knows the newest effects, and so much of a key as a sentence needs.
 */
import type { RecordKind } from '../tape/kinds.ts'
import { cut } from './spelling.ts'

const MAX_EFFECTS = 10_000
const MAX_KEY_CHARS = 160

export class EffectKeys {
  readonly #keys = new Map<number, string>()

  passed(kind: RecordKind): void {
    if (kind.kind !== 'effect_start') return
    this.#keys.set(kind.id, cut(kind.key, MAX_KEY_CHARS))
    if (this.#keys.size <= MAX_EFFECTS) return
    for (const oldest of this.#keys.keys()) {
      this.#keys.delete(oldest)
      return
    }
  }

  /** The key of the effect that this is an outcome of; undefined for a call, and for an old effect. */
  effectOf(kind: RecordKind): string | undefined {
    return 'of' in kind && typeof kind.of === 'number' ? this.#keys.get(kind.of) : undefined
  }
}
