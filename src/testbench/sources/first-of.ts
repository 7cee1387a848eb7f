/**
 * Two sources: an effect that the first one has is served by it, from start to end; everything else by the
 * second. Outcomes of the first are delivered before those that arrived from the second.
 */
import type { Origin } from '../session/family.ts'
import type { OpenEffect, Source } from '../session/source.ts'

/** Reads that the first source serves; the second serves the others. */
type Reads = Partial<Pick<Source, 'readClock' | 'readRandom'>>

export function firstOf(
  first: Pick<Source, 'start' | 'opened' | 'arrive' | 'closed' | 'next'> & Reads,
  second: Source,
): Source {
  const ofFirst = new WeakSet<OpenEffect>()
  const origins = new WeakMap<Origin, 'first'>()
  const sourceOf = (effect: OpenEffect) => (ofFirst.has(effect) ? first : second)
  return {
    isLive: (boundary) => second.isLive(boundary),
    readClock: (read, perform) => (first.readClock ?? second.readClock)(read, perform),
    readRandom: (read, perform) => (first.readRandom ?? second.readRandom)(read, perform),
    readFact: (read, perform) => second.readFact(read, perform),
    answer: (call, perform) => second.answer(call, perform),
    start(start, description) {
      const origin = first.start(start, description)
      if (origin === null) return second.start(start, description)
      origins.set(origin, 'first')
      return origin
    },
    opened(effect, origin) {
      if (origins.has(origin)) ofFirst.add(effect)
      sourceOf(effect).opened?.(effect, origin)
    },
    arrive: (effect, outcome) => sourceOf(effect).arrive(effect, outcome),
    closed: (effect) => sourceOf(effect).closed(effect),
    dropWaiting: (effect) => second.dropWaiting?.(effect),
    next() {
      const turn = first.next()
      return turn === 'idle' ? second.next() : turn
    },
    afterTurn: () => second.afterTurn?.(),
    missOf: (start, description) => second.missOf(start, description),
  }
}
