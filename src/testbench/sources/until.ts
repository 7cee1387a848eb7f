/**
 * A tape up to a record, then the world. Until record `seq` has been delivered, everything comes from the
 * tape. After it, new effects of the live boundaries are performed, and new effects of all others are
 * refused. An effect that the tape serves is served by it to the end.
 */
import type { Outcome } from '../../boundaries/session.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'
import { notLive } from '../difference/sentences.ts'
import type { OpenEffect, Source, Turn } from '../session/source.ts'

export type UntilOptions = {
  readonly seq: number
  readonly isLive: (boundary: string) => boolean
}

export function until(tape: Source, world: Source, { seq, isLive }: UntilOptions): Source {
  let isPast = false
  const ofTape = new WeakSet<OpenEffect>()
  const sourceOf = (effect: OpenEffect): Source => (ofTape.has(effect) ? tape : world)

  const fromTape = (): Turn => {
    const turn = tape.next()
    if (typeof turn === 'string') return turn
    return {
      effect: turn.effect,
      next() {
        const delivery = turn.next()
        if (delivery?.recorded !== undefined && delivery.recorded.at.seq >= seq) isPast = true
        return delivery
      },
    }
  }

  /** Time and real work go on by themselves; nothing from outside comes in with them. */
  const isWorld = (boundary: string): boolean =>
    isPast && (boundary === 'clock' || boundary === 'offthread' || isLive(boundary))

  return {
    isLive: isWorld,
    readClock: (read, perform) => (isPast ? world : tape).readClock(read, perform),
    readRandom: (read, perform) => (isPast ? world : tape).readRandom(read, perform),
    readFact: (read, perform) => (isPast ? world : tape).readFact(read, perform),
    answer(call, perform) {
      return isPast && isLive(call.boundary) ? world.answer(call, perform) : tape.answer(call, perform)
    },
    start(start, description) {
      if (!isPast) return tape.start(start, description)
      return isWorld(start.boundary) ? world.start(start, description) : null
    },
    opened(effect, origin) {
      if (origin.type === 'tape') ofTape.add(effect)
      sourceOf(effect).opened?.(effect, origin)
    },
    arrive: (effect: OpenEffect, outcome: Outcome) => sourceOf(effect).arrive(effect, outcome),
    closed: (effect) => sourceOf(effect).closed(effect),
    next() {
      const turn = fromTape()
      return turn === 'idle' && isPast ? world.next() : turn
    },
    afterTurn: () => world.afterTurn?.(),
    missOf: (start, description): ReplayDivergence =>
      isPast ? notLive(start.boundary, description.keys[0], seq) : tape.missOf(start, description),
  }
}
