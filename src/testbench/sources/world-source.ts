/**
 * Real outcomes. Reads and calls are performed; outcomes of an effect wait here, in order of arrival, for
 * their turn.
 *
 * Decision 0626.
 */
import { label, Queue } from '../../base/index.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { afterThisStep, realSetTimeout } from '../../real/clock.ts'
import type { Origin } from '../session/family.ts'
import type { Kernel, OpenEffect, Source, Turn } from '../session/source.ts'

export type WorldSource = Source & {
  /** Whether something other than a timer may still reach the program. */
  isBusy(): boolean
}

/** `onQuiet` is called when nothing but timers is pending: a paused clock may then advance. */
export function worldSource({ gate, open }: Kernel, onQuiet: (() => void) | null = null): WorldSource {
  let waiting = new Queue<Waiting>()
  const moments = createMoments()
  const underWay = new Set<OpenEffect>()
  const isBusy = (): boolean =>
    underWay.size > 0 ||
    waiting.size > 0 ||
    [...open].some(({ closed, code }) => !closed && code.isBusy?.() === true)
  const checkQuiet = (): void => {
    if (onQuiet !== null && !isBusy()) onQuiet()
  }

  const next = (): Turn => {
    // An outcome whose effect was closed while it waited is dropped, and was never recorded.
    while (waiting.peek()?.effect.closed === true) waiting.shift()
    const first = waiting.peek()
    if (first === undefined) return 'idle'
    const { effect, moment } = first
    let together = false
    let isLast = false
    return {
      effect,
      next() {
        if (isLast) return null
        const item = waiting.peek()
        // Parts of an answer that arrive in one call of the system reach a program in one turn without
        // Reprise as well.
        if (
          together &&
          (item?.effect !== effect || effect.closed || moment === ALONE || item.moment !== moment)
        )
          return null
        waiting.shift()
        const delivery = { outcome: item?.outcome ?? first.outcome, together }
        together = true
        isLast = endsTurn(delivery.outcome)
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
      // Input may arrive at any time, or never: a paused clock waits only while it may be on its way.
      if (boundary !== STDIO) return
      realSetTimeout(() => {
        underWay.delete(effect)
        checkQuiet()
      }, INPUT_PATIENCE_MS)
    },
    arrive(effect, outcome) {
      if (effect.closed) return
      waiting.push({ effect, outcome, moment: isGrouped(effect, outcome) ? moments.current() : ALONE })
      gate.wake()
    },
    dropWaiting(effect) {
      const left = new Queue<Waiting>()
      for (const item of waiting) if (item.effect !== effect) left.push(item)
      waiting = left
    },
    closed(effect) {
      underWay.delete(effect)
      checkQuiet()
    },
    next,
    afterTurn() {
      if (waiting.size > 0) gate.wake()
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

/** Outcomes of an effect with the same number arrived in one call of the system, and share a turn. */
type Waiting = { readonly effect: OpenEffect; readonly outcome: Outcome; readonly moment: number }

/** The number of an outcome that has a turn of its own. */
const ALONE = 0

/** Each message of a WebSocket has a turn of its own, and so has each chunk of a connection as bytes. */
function isGrouped({ options: { request, server, http2 } }: OpenEffect, { type }: Outcome): boolean {
  return (request !== undefined || server === 'connection' || http2 === true) && type !== 'ws_message'
}

/**
 * Node runs its ticks after each frame of HTTP/2, also if several came at once: a program has the head of an answer
 * before the stream of the answer is over. Data in the middle of a stream need no turn of their own.
 */
function endsTurn(outcome: Outcome): boolean {
  if (outcome.type !== 'http2') return false
  const { frame } = outcome
  return frame.frame !== 'data' || frame.ends
}

/**
 * Numbers the arrivals: outcomes that arrive before the next microtask came from one call, and have one
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
        void afterThisStep(end)
      }
      return moment
    },
  }
}
