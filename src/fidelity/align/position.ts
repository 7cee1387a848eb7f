/**
 * Upstream's pairing: the first with the first, the second with the second. One inserted record shifts all
 * that follow.
 */
import type { Aligner } from './aligner.ts'

export const alignByPosition: Aligner = function* (recorded, replayed, comparer, place) {
  for (;;) {
    while (recorded.size === 0 && !recorded.ended) yield 'recorded'
    while (replayed.size === 0 && !replayed.ended) yield 'replayed'
    if (recorded.size > 0 && replayed.size > 0) {
      const a = recorded.take()
      const b = replayed.take()
      place.pair(a, b, comparer.exact(a, b))
    } else if (recorded.size > 0) place.missing(recorded.take())
    else if (replayed.size > 0) place.extra(replayed.take())
    else return
  }
}
