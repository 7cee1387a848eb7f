/**
 * Remembers which list another one was grown from, so that the items that both begin with are not compared
 * again. The lists must not change after that.
 *
 * Only the last step is kept: a list that another one was grown from has no origin any more. Otherwise each list
 * would keep all lists before it in memory.
 *
 * Decision 0335.
 */
type Origin = { readonly from: readonly unknown[]; readonly keep: number }

const origins = new WeakMap<readonly unknown[], Origin>()

/** The first `keep` items of `list` are those of `from`. */
export function noteGrown(list: readonly unknown[], from: readonly unknown[], keep: number): void {
  origins.delete(from)
  origins.set(list, { from, keep })
}

/** So many items are known to be the same at the beginning; there may be more. */
export function knownCommon(before: readonly unknown[], list: readonly unknown[]): number {
  if (before === list) return list.length
  const origin = origins.get(list)
  return origin?.from === before ? origin.keep : 0
}

/** The result of `withoutFirst` for a list, for as long as the list is referenced. */
const rests = new WeakMap<readonly unknown[], readonly unknown[]>()

/** All items but the first. What was known about how the list was grown is known about the result. */
export function withoutFirst<Item>(list: readonly Item[]): readonly Item[] {
  const rest = list.slice(1)
  const origin = origins.get(list)
  const before = origin === undefined ? undefined : rests.get(origin.from)
  if (origin !== undefined && before !== undefined) noteGrown(rest, before, Math.max(0, origin.keep - 1))
  rests.set(list, rest)
  return rest
}
