/**
 * Outcomes from a tape. A live effect is matched to a recorded one by key, then in recorded order among equal
 * keys; outcomes are delivered in the order of the tape. Nothing is used twice and nothing is guessed: what
 * is not on the tape is a divergence.
 *
 * Only work without input from outside is done for real. Nothing real keeps the process alive but the next
 * turn: if the program waits for something that the tape never delivers, the process ends, as Node always
 * does.
 *
 * Decision 0009.
 */

import { divergenceError } from '../../fidelity/divergence.ts'
import { late } from '../../fidelity/sentences.ts'
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import type { TapeRecord } from '../../tape/index.ts'
import {
  type Delivery as DeliveredRecord,
  effectOf,
  isSentAtTheEnd,
  isSentKind,
  summaryOf,
} from '../records/delivered-kinds.ts'
import type { Delivery } from '../session/delivery.ts'
import type { Description, EffectCode } from '../session/family.ts'
import type { Kernel, OpenEffect, Turn } from '../session/source.ts'
import { createPatience, LOOK_EVERY_MS, PATIENCE_MS } from './patience.ts'
import { failStuckWaits } from './stuck-waits.ts'
import { tapeAnswers } from './tape-answers.ts'
import { type LastMatch, missOfEffect, missOnTape } from './tape-miss.ts'
import { tapeReads } from './tape-reads.ts'
import type { TapeSource, TapeSourceOptions } from './tape-source-contract.ts'
import type { TravelState } from './travel-state.ts'

/** How long off-thread work, done for real in a replay too, may take once its turn has come. */
const WORK_PATIENCE_MS = 60_000
const MAX_SKIPPED = 1000
/** After an edit the program often leaves out what was recorded. */
const EDITED_PATIENCE_MS = 150
const ON_TAPE: TravelState = { stage: 'tape' }
/** Kinds that count as out of order when the program asks for them late. */
const LATE_COUNTS: ReadonlySet<string> = new Set(['http_exchange', 'timer_fire', 'clock_sleep'])

export function tapeSource({ tools, calls, gate }: Kernel, options: TapeSourceOptions): TapeSource {
  const { index, cursor, second, payloads, speed = 0, travel = ON_TAPE } = options
  /** Open effects by their number on the tape. */
  const matched = new Map<number, OpenEffect>()
  const recordedIds = new Map<OpenEffect, number>()
  /** What the program sent, on the tape, to effects that it has not started yet. */
  const sentAhead = new Map<number, TapeRecord[]>()
  /** Effects that the program has closed: on the tape, what was sent to a subprocess may end after it. */
  const closedCodes = new Map<number, EffectCode>()
  const skipped: DeliveredRecord[] = []
  const patience = createPatience()
  let hasWaited = false
  const startedAt = monotonicMs()
  let activeAt = startedAt
  let lastMatch: LastMatch | null = null
  let nextLook: NodeJS.Timeout | undefined
  const reads = tapeReads({
    cursor,
    index,
    scrubber: tools.scrubber,
    payloads,
    diverge: tools.diverge,
    setPlace: (place) => second.setPlace(place),
    isOnTape: () => travel.stage === 'tape',
  })

  const next = (): Turn => {
    const late = takeLate()
    if (late !== null) {
      gate.wake()
      return turnOf(late, () => null)
    }
    const record = cursor.peekDelivery()
    if (record === null) return 'idle'
    const effectId = effectOf(record)
    const effect = matched.get(effectId)
    if (effect === undefined && !index.isTaken(effectId)) {
      if (travel.stage === 'live') {
        cursor.passDelivery()
        return 'more'
      }
      return waitForProgram(record, travel.stage === 'tape' ? PATIENCE_MS : EDITED_PATIENCE_MS)
    }
    if (effect !== undefined && travel.takenOver?.has(effect) === true) {
      cursor.passDelivery()
      return 'more'
    }
    if (effect !== undefined && mustWaitForRequest()) return 'idle'
    if (effect !== undefined && effect.code.isBehind?.(record) === true)
      return waitForProgram(record, travel.stage === 'live' ? EDITED_PATIENCE_MS : PATIENCE_MS)
    if (effect?.work === 'under way' && !effect.closed) return waitForProgram(record, WORK_PATIENCE_MS)
    const wait = speed > 0 ? record.monotonicMs / speed - (monotonicMs() - startedAt) : 0
    if (wait > 1) {
      realSetTimeout(() => gate.wake(), wait)
      return 'idle'
    }
    endWait()
    cursor.passDelivery()
    gate.wake()
    return turnOf(record, () => cursor.passTogether(effectId))
  }

  /** What this record delivers, and those that came together with it. */
  const turnOf = (first: DeliveredRecord, together: () => DeliveredRecord | null): Turn => {
    const effect = matched.get(effectOf(first))
    // An unread response may be closed by garbage collection at another moment than when it was
    // recorded.
    if (effect === undefined || effect.closed) {
      for (let record: DeliveredRecord | null = first; record !== null; record = together()) beginTurn()
      return 'idle'
    }
    let waiting: readonly Delivery[] = decoded(effect, first)
    let at = 0
    const nextDelivery = (): Delivery | null => {
      for (;;) {
        const delivery = waiting[at]
        at += 1
        if (delivery !== undefined) {
          if (delivery.recorded !== undefined) second.setPlace(delivery.recorded.at)
          return delivery
        }
        const record = together()
        if (record === null) return null
        waiting = decoded(effect, record)
        at = 0
      }
    }
    return { effect, next: nextDelivery }
  }

  const decoded = (effect: OpenEffect, record: DeliveredRecord): readonly Delivery[] => {
    beginTurn()
    const deliveries = effect.closed ? [] : (effect.code.decode?.(record) ?? [])
    return index.protocolSecrets.size === 0 ? deliveries : reads.withTokens(deliveries)
  }

  const beginTurn = (): void => {
    activeAt = monotonicMs()
  }

  /** Once the run is live, what the program has not requested yet waits without end. */
  const isReady = (effect: OpenEffect | undefined): boolean =>
    (effect?.work ?? 'under way') !== 'under way' &&
    !(travel.stage === 'live' && effect?.code.isBehind?.() === true)

  /** An outcome that was skipped, and whose effect the program has started since. */
  const takeLate = (): DeliveredRecord | null => {
    const at = skipped.findIndex((record) => isReady(matched.get(effectOf(record))))
    if (at < 0) return null
    const [record] = skipped.splice(at, 1)
    if (record === undefined) return null
    if (travel.stage === 'tape' && LATE_COUNTS.has(record.kind.kind))
      tools.diverge(late(record.seq, summaryOf(record)))
    return record
  }

  /**
   * The next outcome is for an effect that the program has not started, or for work that is not done. The
   * program may be loading a module, so this waits, without keeping the process alive unless the program
   * waits for something too. After a while the outcome is skipped, and reported.
   */
  const waitForProgram = (record: DeliveredRecord, patienceMs: number): 'more' | 'idle' => {
    hasWaited = true
    if (patience.isOver(patienceMs)) {
      const code = matched.get(effectOf(record))?.code
      if (travel.stage === 'edited' && code?.isBehind?.() === true && code.skipSent?.() === true)
        return 'more'
      if (skipped.length < MAX_SKIPPED) skipped.push(record)
      cursor.passDelivery()
      return 'more'
    }
    lookLater()
    return 'idle'
  }

  const lookLater = (): void => {
    const isWaiting = [...matched.values()].some((effect) => effect.ref && !effect.closed)
    // One look at a time: every wake-up on the way would otherwise add a timer of its own.
    realClearTimeout(nextLook)
    nextLook = realSetTimeout(() => gate.wake(), LOOK_EVERY_MS)
    if (!isWaiting) nextLook.unref()
  }

  const mustWaitForRequest = (): boolean => {
    if (travel.stage !== 'tape' || !cursor.isRequestMissing(index.isTaken)) return false
    hasWaited = true
    if (!patience.isOver(PATIENCE_MS)) {
      lookLater()
      return true
    }
    cursor.forgetRequests()
    endWait()
    return false
  }

  const endWait = (): void => {
    if (!hasWaited) return
    hasWaited = false
    patience.reset()
  }

  const take = (boundary: string, { keys }: Description): number | null => {
    for (const key of keys) {
      const effect = index.take(boundary, key)
      if (effect !== null) return effect
    }
    return null
  }

  const takeAnswer = tapeAnswers({ tools, calls }, options)
  const tryAnswer: TapeSource['tryAnswer'] = (call) => {
    activeAt = monotonicMs()
    const given = takeAnswer(call)
    if (given?.match !== undefined) lastMatch = given.match
    return given?.answer ?? null
  }

  const idleMs = (): number => monotonicMs() - activeAt
  return {
    isLive: () => false,
    readClock: reads.readClock,
    readRandom: reads.readRandom,
    readFact: reads.readFact,
    answer(call) {
      const given = tryAnswer(call)
      if (given !== null) return given
      const { boundary } = call
      const asked = { boundary, key: call.keys()[0], body: null }
      throw divergenceError(tools.diverge(missOnTape(options, lastMatch, asked)))
    },
    tryAnswer,
    has: ({ boundary }, { keys }) => keys.some((key) => index.isLeft(boundary, key)),
    nextEffect() {
      const record = cursor.peekDelivery()
      return record === null ? null : (matched.get(effectOf(record)) ?? null)
    },
    start(start, description) {
      activeAt = monotonicMs()
      const effect = take(start.boundary, description)
      if (effect === null) return null
      lastMatch = { effect, key: description.keys[0] }
      endWait()
      return { type: 'tape', effect }
    },
    opened(effect, origin) {
      if (origin.type === 'world') return
      matched.set(origin.effect, effect)
      recordedIds.set(effect, origin.effect)
      for (const record of sentAhead.get(origin.effect) ?? []) effect.code.recordedSent?.(record)
      sentAhead.delete(origin.effect)
      gate.wake()
    },
    arrive(effect) {
      if (effect.work !== 'under way') return
      effect.work = 'done'
      gate.wake()
    },
    closed(effect) {
      const effectId = recordedIds.get(effect)
      recordedIds.delete(effect)
      if (effectId === undefined) return
      matched.delete(effectId)
      if (effect.code.recordedSent !== undefined) closedCodes.set(effectId, effect.code)
    },
    next,
    missOf: ({ boundary }, { keys, body = null }) =>
      missOfEffect(options, lastMatch, { boundary, key: keys[0], body }),
    passed(record) {
      const { kind } = record
      if (!isSentKind(kind)) return
      const effect = matched.get(kind.of)
      if (effect !== undefined) effect.code.recordedSent?.(record)
      else if (closedCodes.has(kind.of)) {
        if (isSentAtTheEnd(kind)) closedCodes.get(kind.of)?.recordedSent?.(record)
      } else if (kind.kind === 'ws_message' || kind.kind === 'http2_frame' || kind.stream !== undefined)
        sentAhead.set(kind.of, [...(sentAhead.get(kind.of) ?? []), record])
    },
    state: () => ({
      // First, so that what the program sent in its last turn is known.
      next: cursor.peekDelivery(),
      extraClockReads: reads.extra.clock,
      missingClockReads: cursor.readsLeft().clock,
      missingRandomReads: cursor.readsLeft().random,
      extraFactReads: reads.extra.facts,
      skipped,
      answersLeft: cursor.answersLeft(),
      foreignLeft: tools.tape?.foreign.left() ?? [],
    }),
    idleMs,
    isAtEnd: () => cursor.peekDelivery() === null,
    failStuckWaits: (isAllTaped) =>
      failStuckWaits(
        { matched, index, cursor, idleMs, diverge: tools.diverge, deliver: tools.deliver },
        isAllTaped,
      ),
  }
}
