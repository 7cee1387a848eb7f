/**
 * A tape with changes: deliveries of some records are replaced before the program, and the second recording,
 * see them. Everything else comes from the tape as it is.
 */
import type { Delivery } from '../session/delivery.ts'
import type { Source, Turn } from '../session/source.ts'

/** Returns what is delivered in place of a delivery of the record `seq`. */
export type Edit = (delivery: Delivery, seq: number) => readonly Delivery[]

export function edited<S extends Source>(tape: S, edits: ReadonlyMap<number, Edit>): S {
  const next = (): Turn => {
    const turn = tape.next()
    if (typeof turn === 'string') return turn
    const waiting: Delivery[] = []
    return {
      effect: turn.effect,
      next() {
        for (;;) {
          const ready = waiting.shift()
          if (ready !== undefined) return ready
          const delivery = turn.next()
          const seq = delivery?.recorded?.at.seq
          const edit = seq === undefined ? undefined : edits.get(seq)
          if (delivery === null || seq === undefined || edit === undefined) return delivery
          waiting.push(...edit(delivery, seq))
        }
      },
    }
  }
  return { ...tape, next }
}
