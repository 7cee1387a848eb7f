/**
 * Numbers for the names of kinds, in the order in which they first come, and how often each came. A hostile
 * tape cannot make it grow.
 */
const MAX_NAMES = 1000
const MAX_NAME_CHARS = 200
/** What a tape with too many kinds has in their place. */
const OTHER_KINDS = '(other kinds)'

export class KindTable {
  readonly names: string[] = []
  readonly #counts: number[] = []
  readonly #numbers = new Map<string, number>()

  /** Counts one more of this kind. */
  add(name: string): number {
    const number = this.#numbers.get(name) ?? this.#introduce(name)
    this.#counts[number] = this.count(number) + 1
    return number
  }

  count(number: number): number {
    return this.#counts[number] ?? 0
  }

  #introduce(name: string): number {
    const isFull = this.names.length >= MAX_NAMES
    const kept = isFull ? OTHER_KINDS : name
    const known = this.#numbers.get(kept)
    if (known !== undefined) return known
    const number = this.names.push(kept.slice(0, MAX_NAME_CHARS)) - 1
    this.#numbers.set(kept, number)
    return number
  }
}
