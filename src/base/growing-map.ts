/**
 * Maps the items of lists that grow from one call to the next. What an earlier list began with (the same
 * objects, in the same order) is not mapped again.
 *
 * Keeps the last few lists and their results. `change` must give the same for the same item.
 *
 * Decision 0335.
 */
import { knownCommon, noteGrown } from './grown-list.ts'

type Known<Item, Mapped> = { readonly items: readonly Item[]; readonly mapped: readonly Mapped[] }

const MAX_KNOWN = 4

export class GrowingMap<Item, Mapped> {
  readonly #known: Known<Item, Mapped>[] = []

  map(items: readonly Item[], change: (item: Item) => Mapped): readonly Mapped[] {
    let [best, keep]: [Known<Item, Mapped> | null, number] = [null, 0]
    for (const known of this.#known) {
      const common = commonItems(known.items, items)
      if (common > keep) [best, keep] = [known, common]
    }
    const mapped = best?.mapped.slice(0, keep) ?? []
    if (best !== null) noteGrown(mapped, best.mapped, keep)
    for (const item of items.slice(keep)) mapped.push(change(item))
    // A list that only grew takes the place of what it was before.
    if (best !== null && keep === best.items.length) this.#known.splice(this.#known.indexOf(best), 1)
    this.#known.push({ items, mapped })
    if (this.#known.length > MAX_KNOWN) this.#known.shift()
    return mapped
  }
}

function commonItems(before: readonly unknown[], items: readonly unknown[]): number {
  const most = Math.min(before.length, items.length)
  let common = knownCommon(before, items)
  while (common < most && before[common] === items[common]) common += 1
  return common
}
