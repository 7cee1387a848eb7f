/**
 * A tape, then something else: the source of `what-if` and `fork`.
 *
 * A fork serves everything from the tape until record `at` was delivered. Then new effects of the live
 * boundaries are performed and new effects of all others are refused. An effect that is open at that moment is
 * completed from the tape; timers go on in real time.
 *
 * A what-if delivers edited records. After the first of them the tape still serves what it has; time and
 * randomness that it does not have are made up. What else it does not have is refused, answered with the
 * closest recorded response, or makes the run live.
 *
 * Decision 0330.
 */
import { type ArmedTimer, realClockDriver } from '../../boundaries/clock/clock-driver.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { notLive } from '../../fidelity/sentences.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import type { RecordPlace } from '../session/delivery.ts'
import type { Description, EffectStart, Origin } from '../session/family.ts'
import type { OpenEffect, Turn } from '../session/source.ts'
import { isLiveStart, isOwn, type LiveSet, mayBeLive } from './live-set.ts'
import { nearestResponse } from './nearest.ts'
import type { TapeSource } from './tape-source-contract.ts'
import type { TravelClock } from './travel-clock.ts'
import type { Stage } from './travel-state.ts'
import type { WorldSource } from './world-source.ts'

export type TravelPlan = {
  /** The run is live after this record; null for a what-if. */
  readonly at: number | null
  /** What a what-if does when the tape does not have what the program asks for. */
  readonly misses: 'refuse' | 'nearest' | 'live'
  readonly live: LiveSet
  /** Records whose delivery was edited, and how much later they come. */
  readonly edited: ReadonlySet<number>
  readonly delaysMs: ReadonlyMap<number, number>
}

export type TravelParts = {
  readonly plan: TravelPlan
  readonly state: { stage: Stage; readonly takenOver: Set<OpenEffect> }
  readonly clock: TravelClock
  readonly path: string
  readonly payloads: TapePayloads
  /** The number of the next record on the tape that is delivered; null at its end. */
  readonly nextSeq: () => number | null
  /** What the tape knows of a fact; undefined for one that it does not know. */
  readonly facts: TravelFacts
  /** Whether the tape has an MCP server that is started with this key. */
  readonly isServer: (key: string) => boolean
  readonly wake: () => void
  /** The run has become live. */
  readonly onLive: () => void
  /** A response was used for another request than its own. */
  readonly usedNearest: (asked: string, seq: number) => void
}

export type TravelFacts = {
  isKnown(api: string, name: string): boolean
  /** The value that a run which may go live gets for a recorded one. */
  resolved(api: string, name: string, value: string | null): string | null
}

export type Travel = {
  readonly source: TapeSource
  /** This record of the tape was written once more; the program receives it next. */
  reached(place: RecordPlace): void
}

export function travel(tape: TapeSource, world: WorldSource, parts: TravelParts): Travel {
  const { plan, state, clock } = parts
  const ofTape = new WeakSet<OpenEffect>()
  /** Open effects that can leave the tape. */
  const leaving = new Set<OpenEffect>()
  const played = new WeakMap<Origin, readonly Outcome[]>()
  /** Open timers that the tape serves, and when they are due. */
  const timers = new Map<OpenEffect, { readonly dueMs: number; readonly everyMs: number | null }>()
  const armed = new Map<OpenEffect, ArmedTimer>()
  const delaysMs = new Map(plan.delaysMs)
  const delayed = new Map<number, number>()

  const goLive = (): void => {
    if (state.stage === 'live') return
    clock.goLive()
    const now = clock.nowMs()
    state.stage = 'live'
    for (const [effect, { dueMs }] of timers) {
      state.takenOver.add(effect)
      armTimer(effect, Math.max(1, dueMs - now))
    }
    for (const effect of leaving) leave(effect)
    parts.onLive()
    parts.wake()
  }

  const leave = (effect: OpenEffect): void => {
    if (isLiveStart(plan.live, effect.start, {}, parts.isServer(effect.key))) effect.code.leaveTape?.()
  }

  /** A timer of the tape goes on in real time. */
  const armTimer = (effect: OpenEffect, delayMs: number): void => {
    const { everyMs = null } = timers.get(effect) ?? {}
    const timer = realClockDriver.arm(delayMs, effect.ref, () => {
      if (effect.closed) return
      world.arrive(effect, TIMER)
      if (everyMs !== null) armTimer(effect, everyMs)
    })
    armed.set(effect, timer)
  }

  /** Time goes forward before a delayed record is delivered: timers that are due by then fire first. */
  const beforeDelayed = (): Turn | null => {
    const seq = state.stage === 'live' ? null : parts.nextSeq()
    const delayMs = seq === null ? undefined : delaysMs.get(seq)
    if (seq === null || delayMs === undefined) return null
    if (state.stage === 'tape') state.stage = 'edited'
    const untilMs = delayed.get(seq) ?? clock.nowMs() + delayMs
    delayed.set(seq, untilMs)
    const late = tape.nextEffect()
    const first = [...timers]
      .filter(([effect, { dueMs }]) => effect !== late && !effect.closed && dueMs <= untilMs)
      .sort(([, a], [, b]) => a.dueMs - b.dueMs)[0]
    const own = clock.nextDueMs()
    if (own !== null && own <= untilMs && (first === undefined || own < first[1].dueMs)) {
      clock.advanceTo(own)
      clock.fireNext()
      return 'more'
    }
    if (first !== undefined) {
      clock.advanceTo(first[1].dueMs)
      return timerTurn(first[0])
    }
    clock.advanceTo(untilMs)
    delaysMs.delete(seq)
    return null
  }

  const timerTurn = (effect: OpenEffect): Turn => {
    const timer = timers.get(effect)
    if (timer?.everyMs == null) timers.delete(effect)
    else timers.set(effect, { ...timer, dueMs: timer.dueMs + timer.everyMs })
    let left: { readonly outcome: Outcome } | null = { outcome: TIMER }
    parts.wake()
    return {
      effect,
      next() {
        const delivery = left
        left = null
        return delivery
      },
    }
  }

  const startLive = (start: EffectStart, description: Description): Origin | null =>
    isLiveStart(plan.live, start, description, parts.isServer(description.keys[0])) ? WORLD : null

  const startNearest = (start: EffectStart, { keys, body, subject }: Description): Origin | null => {
    // The answer to a call of MCP has the id of its own call.
    if (start.options.request === undefined || subject === 'mcp') return null
    const nearest = nearestResponse(parts.path, keys[0], body ?? null, parts.payloads)
    if (nearest === null) return null
    parts.usedNearest(keys[0], nearest.seq)
    const origin: Origin = { type: 'world', played: { pid: 0 } }
    played.set(origin, nearest.outcomes)
    return origin
  }

  const startEdited = (start: EffectStart, description: Description): Origin | null => {
    const known = tape.start(start, description)
    if (known !== null) return known
    if (isOwn(start.boundary)) return WORLD
    switch (plan.misses) {
      case 'refuse':
        return null
      case 'nearest':
        return startNearest(start, description)
      case 'live':
        goLive()
        return startLive(start, description)
    }
  }

  const source: TapeSource = {
    ...tape,
    isLive: (boundary) => state.stage === 'live' && mayBeLive(plan.live, boundary),
    startsLive(start, description) {
      if (state.stage === 'edited' && plan.misses === 'live' && !tape.has(start, description)) goLive()
      return state.stage === 'live' && startLive(start, description) !== null
    },
    readClock(read, perform) {
      if (state.stage === 'live') return world.readClock(read, perform)
      const given = tape.readClock(read, perform)
      const { value } = given
      const shift = clock.shiftMs
      const moved =
        value.unit === 'ms'
          ? ({ unit: 'ms', value: value.value + shift } as const)
          : ({ unit: 'ns', value: value.value + BigInt(Math.trunc(shift * 1e6)) } as const)
      clock.noteRead(read.api, moved)
      return { ...given, value: shift === 0 ? value : moved }
    },
    readRandom: (read, perform) => (state.stage === 'live' ? world : tape).readRandom(read, perform),
    readFact(read, perform) {
      if (state.stage === 'live' && (read.api === 'node-pty' || !parts.facts.isKnown(read.api, read.name))) {
        const value = parts.facts.resolved(read.api, read.name, world.readFact(read, perform).value)
        return { value }
      }
      const given = tape.readFact(read, perform)
      const value = parts.facts.resolved(read.api, read.name, given.value)
      return value === given.value ? given : { value }
    },
    answer(call, perform) {
      if (state.stage === 'tape') return tape.answer(call, perform)
      if (state.stage === 'edited') {
        const known = tape.tryAnswer(call)
        if (known !== null) return known
        if (plan.misses !== 'live') return null
        goLive()
      }
      const start = { boundary: call.boundary, key: call.key, options: {} }
      return isLiveStart(plan.live, start, {}, parts.isServer(call.keys()[0]))
        ? world.answer(call, perform)
        : null
    },
    start(start, description) {
      switch (state.stage) {
        case 'tape':
          return tape.start(start, description)
        case 'edited':
          return startEdited(start, description)
        case 'live':
          return startLive(start, description)
      }
    },
    opened(effect, origin) {
      if (origin.type === 'world') {
        world.opened?.(effect, origin)
        for (const outcome of played.get(origin) ?? []) world.arrive(effect, outcome)
        return
      }
      ofTape.add(effect)
      tape.opened?.(effect, origin)
      if (effect.code.leaveTape !== undefined) leaving.add(effect)
      if (state.stage === 'live') leave(effect)
      const delayMs = timerDelay(effect)
      if (delayMs === null) return
      const everyMs = effect.start.key.startsWith('setInterval ') ? delayMs : null
      timers.set(effect, { dueMs: clock.nowMs() + delayMs, everyMs })
      // The record of its start is the one at which the run goes live.
      if (state.stage !== 'live') return
      state.takenOver.add(effect)
      armTimer(effect, Math.max(1, delayMs))
    },
    arrive(effect, outcome) {
      // An effect of the tape has outcomes of the world only after it has gone on live.
      if (ofTape.has(effect) && (effect.work !== 'none' || state.stage !== 'live'))
        tape.arrive(effect, outcome)
      else world.arrive(effect, outcome)
    },
    dropWaiting: (effect) => world.dropWaiting?.(effect),
    closed(effect) {
      timers.delete(effect)
      leaving.delete(effect)
      state.takenOver.delete(effect)
      armed.get(effect)?.disarm()
      armed.delete(effect)
      if (ofTape.has(effect)) tape.closed(effect)
      world.closed(effect)
    },
    next() {
      const first = beforeDelayed()
      if (first !== null) return first
      const turn = tape.next()
      if (turn !== 'idle' || state.stage === 'tape') return turn
      const arrived = world.next()
      if (arrived !== 'idle') return arrived
      const dueMs = state.stage === 'edited' ? clock.nextDueMs() : null
      if (dueMs === null || tape.nextEffect() !== null || world.isBusy()) return 'idle'
      clock.advanceTo(dueMs)
      clock.fireNext()
      return 'more'
    },
    afterTurn: () => world.afterTurn?.(),
    refusing() {
      if (state.stage === 'tape') return null
      return state.stage === 'edited' && plan.misses === 'refuse' ? 'ends' : 'refuse'
    },
    missOf: (start, description) =>
      state.stage === 'live'
        ? notLive(start.boundary, description.keys[0], plan.at)
        : tape.missOf(start, description),
  }

  return {
    source,
    reached({ seq }) {
      if (state.stage === 'tape' && plan.edited.has(seq)) state.stage = 'edited'
      if (plan.at !== null && seq >= plan.at) goLive()
    },
  }
}

/** Milliseconds that a timer waits; null for what is no timer. `setImmediate` waits for no time. */
function timerDelay({ start }: OpenEffect): number | null {
  if (start.boundary !== 'clock') return null
  const found = / (\d+(?:\.\d+)?)$/.exec(start.key)
  return found === null ? 0 : Number(found[1])
}

const WORLD: Origin = { type: 'world' }
const TIMER: Outcome = { type: 'timer' }
