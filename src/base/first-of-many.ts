/**
 * The first 10,000 of what is found, and the number of all: a hostile file of a few megabytes can have
 * millions of damaged lines.
 */
const MOST_LISTED = 10_000

export class FirstOfMany<T> {
  readonly #listed: T[] = []
  #count = 0

  get listed(): readonly T[] {
    return this.#listed
  }

  get count(): number {
    return this.#count
  }

  /** For items that are expensive to make: `make` is called only if the item is listed. */
  add(make: () => T): void {
    this.#count += 1
    if (this.#listed.length < MOST_LISTED) this.#listed.push(make())
  }
}
