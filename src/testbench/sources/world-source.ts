/**
 * Outcomes from the real world. Reads and calls are performed; what arrives for an effect waits here, in
 * order of arrival, for its turn.
 */
import { label } from '../../base/index.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { realQueueMicrotask, realSetTimeout } from '../../real/clock.ts'
import type { Origin } from '../session/family.ts'
import type { Kernel, OpenEffect, Source, Turn } from '../session/source.ts'

export type WorldSource = Source & {
  /** Whether something other than a timer may still reach the program. */
  isBusy(): boolean
}

/** `onQuiet` is called when nothing is under way any more but timers: a paused clock may then go on. */
export function worldSource({ gate, open }: Kernel, onQuiet: () => void = () => undefined): WorldSource {
  const waiting: Waiting[] = []
  const moments = createMoments()
  const underWay = new Set<OpenEffect>()
  const isBusy = (): boolean =>
    underWay.size > 0 ||
    waiting.length > 0 ||
    [...open].some(({ closed, code }) => !closed && code.isBusy?.() === true)
  const checkQuiet = (): void => {
    if (!isBusy()) onQuiet()
  }

  const next = (): Turn => {
    // An outcome whose effect was closed while it waited is dropped, and was never recorded.
    while (waiting[0]?.effect.closed === true) waiting.shift()
    const first = waiting[0]
    if (first === undefined) return 'idle'
    const { effect, moment } = first
    const isGrouped = effect.options.request !== undefined || effect.options.server === 'connection'
    let together = false
    return {
      effect,
      next() {
        const item = waiting[0]
        // The parts of an answer that the world gave in one call reach a program in one turn without us as
        // well.
        if (together && !(isGrouped && !effect.closed && item?.effect === effect && item.moment === moment))
          return null
        waiting.shift()
        const delivery = { outcome: item?.outcome ?? first.outcome, together }
        together = true
        return delivery
      },
    }
  }

  return {
    isBusy,
    isLive: () => true,
    readClock: (_read, perform) => ({ value: perform() }),
    readRandom: (_read, perform) => ({ value: perform() }),
    readFact: (_read, perform) => ({ value: perform() }),
    answer: (_call, perform) => ({ answer: perform() }),
    start: () => WORLD,
    opened(effect) {
      const { boundary, options } = effect.start
      if (boundary === CLOCK || options.supporting === true || effect.code.isBusy !== undefined) return
      underWay.add(effect)
      // Input may come at any time, or never: a paused clock waits only as long as it may be on its way.
      if (boundary !== STDIO) return
      realSetTimeout(() => {
        underWay.delete(effect)
        checkQuiet()
      }, INPUT_PATIENCE_MS)
    },
    arrive(effect, outcome) {
      if (effect.closed) return
      waiting.push({ effect, outcome, moment: moments.current() })
      gate.wake()
    },
    closed(effect) {
      underWay.delete(effect)
      checkQuiet()
    },
    next,
    afterTurn() {
      if (waiting.length > 0) gate.wake()
      checkQuiet()
    },
    missOf() {
      throw new Error('the world serves every effect')
    },
  }
}

const WORLD: Origin = { type: 'world' }
const CLOCK = label('clock')
const STDIO = label('stdio')
const INPUT_PATIENCE_MS = 100

/** Outcomes of one moment came out of one call of the world. */
type Waiting = { readonly effect: OpenEffect; readonly outcome: Outcome; readonly moment: number }

/**
 * Numbers the moments of the world: what arrives before the next microtask came out of one call, and has one
 * number.
 */
function createMoments(): { current(): number } {
  let moment = 0
  let isOver = true
  const end = (): void => {
    isOver = true
  }
  return {
    current() {
      if (isOver) {
        isOver = false
        moment += 1
        realQueueMicrotask(end)
      }
      return moment
    },
  }
}
