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
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import type { TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { divergenceError, type ReplayDivergence } from '../difference/divergence.ts'
import { late, unmatched, unrecorded } from '../difference/sentences.ts'
import {
  type AnsweredAtOnce,
  type Delivery as DeliveredRecord,
  effectOf,
  summaryOf,
} from '../records/delivered-kinds.ts'
import type { Delivery, GivenAnswer } from '../session/delivery.ts'
import { placeOf } from '../session/delivery.ts'
import type { Description, EffectCode, EffectStart } from '../session/family.ts'
import type { Kernel, OpenEffect, Source, Turn } from '../session/source.ts'
import type { ForeignSpawn } from '../tape-index/foreign-spawn.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { findClosest } from './closest.ts'
import { expectedCall } from './expected-call.ts'
import { createPatience, LOOK_EVERY_MS, PATIENCE_MS } from './patience.ts'
import type { SecondRecording } from './second-recording.ts'
import { failStuckWaits } from './stuck-waits.ts'
import type { TapeCursor } from './tape-cursor.ts'
import { tapeReads } from './tape-reads.ts'
import type { TravelState } from './travel-state.ts'

export type TapeSourceOptions = {
  readonly path: string
  readonly index: TapeIndex
  readonly cursor: TapeCursor
  readonly second: Pick<SecondRecording, 'setPlace'>
  readonly payloads: TapePayloads
  /** 0 does not wait; 1 waits as long as the run did, 2 half as long. */
  readonly speed?: number
  /** Where the run is; it stays on the tape without one. */
  readonly travel?: TravelState
}

/** What is left of the tape when the program has ended. */
export type TapeState = {
  readonly extraClockReads: number
  readonly missingClockReads: number
  readonly missingRandomReads: number
  readonly extraFactReads: number
  /**
   * Outcomes that were skipped because the program never started their effect, and the first that was not
   * reached.
   */
  readonly skipped: readonly DeliveredRecord[]
  readonly next: DeliveredRecord | null
  /** Answers to calls that the program did not make. */
  readonly answersLeft: readonly AnsweredAtOnce[]
  /** Subprocesses of a foreign tape that the program did not start. */
  readonly foreignLeft: readonly ForeignSpawn[]
}

export type TapeSource = Source & {
  /** The answer on the tape, or null. Throws a refusal that is part of the run. */
  tryAnswer(call: Parameters<Source['answer']>[0]): GivenAnswer | null
  /** The open effect that the next delivery of the tape is for; null if it is not open. */
  nextEffect(): OpenEffect | null
  state(): TapeState
  /** A record that the cursor read past. */
  passed(record: TapeRecord): void
  /** Real milliseconds since the program last started or received something. */
  idleMs(): number
  /** Whether the tape has nothing more to deliver. */
  isAtEnd(): boolean
  /** For a session without an end that could be watched: fails waits for what the tape never delivers. */
  failStuckWaits(isAllTaped: boolean): Disposable
}

/** How long off-thread work, done for real in a replay too, may take once its turn has come. */
const WORK_PATIENCE_MS = 60_000
const MAX_SKIPPED = 1000
/** After an edit the program often leaves out what was recorded. */
const EDITED_PATIENCE_MS = 150
const ON_TAPE: TravelState = { stage: 'tape' }
/** Kinds that count as out of order when the program asks for them late. */
const LATE_COUNTS: ReadonlySet<string> = new Set(['http_exchange', 'timer_fire', 'clock_sleep'])

export function tapeSource({ tools, calls, gate }: Kernel, options: TapeSourceOptions): TapeSource {
  const { path, index, cursor, second, payloads, speed = 0, travel = ON_TAPE } = options
  /** Open effects by their number on the tape. */
  const matched = new Map<number, OpenEffect>()
  const recordedIds = new Map<OpenEffect, number>()
  /** What the program sent, on the tape, to effects that it has not started yet. */
  const sentAhead = new Map<number, TapeRecord[]>()
  /** Effects that the program has closed, and that were sent something. */
  /** What is sent to a subprocess may end on the tape after the subprocess has. */
  const closedCodes = new Map<number, EffectCode>()
  const skipped: DeliveredRecord[] = []
  const patience = createPatience()
  const startedAt = monotonicMs()
  let activeAt = startedAt
  let lastMatch: { readonly seq: number; readonly key: string } | null = null
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
    if (effect !== undefined && effect.code.isBehind?.() === true) return waitForProgram(record, PATIENCE_MS)
    if (effect?.work === 'under way' && !effect.closed) return waitForProgram(record, WORK_PATIENCE_MS)
    const wait = speed > 0 ? record.monotonicMs / speed - (monotonicMs() - startedAt) : 0
    if (wait > 1) {
      realSetTimeout(() => gate.wake(), wait)
      return 'idle'
    }
    patience.reset()
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
    return effect.closed ? [] : (effect.code.decode?.(record) ?? [])
  }

  const beginTurn = (): void => {
    activeAt = monotonicMs()
    reads.beginTurn()
  }

  /** An outcome that was skipped, and whose effect the program has started since. */
  const takeLate = (): DeliveredRecord | null => {
    const at = skipped.findIndex(
      (record) => (matched.get(effectOf(record))?.work ?? 'under way') !== 'under way',
    )
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
    const isWaiting = [...matched.values()].some((effect) => effect.ref && !effect.closed)
    if (patience.isOver(patienceMs)) {
      if (skipped.length < MAX_SKIPPED) skipped.push(record)
      cursor.passDelivery()
      return 'more'
    }
    // One look at a time: every wake-up on the way would otherwise add a timer of its own.
    realClearTimeout(nextLook)
    nextLook = realSetTimeout(() => gate.wake(), LOOK_EVERY_MS)
    if (!isWaiting) nextLook.unref()
    return 'idle'
  }

  const missOf = (
    start: Pick<EffectStart, 'boundary'>,
    key: string,
    body: Uint8Array | null,
  ): ReplayDivergence => {
    const following = cursor.peekDelivery()
    const left = new Set(cursor.answersLeft().map(({ seq }) => seq))
    const call = expectedCall(path, {
      end: following?.seq ?? null,
      isTaken: index.isTaken,
      isLeft: (seq) => left.has(seq),
    })
    return unmatched({
      seq: call?.seq ?? following?.seq ?? null,
      expected: call?.key ?? (following === null ? null : summaryOf(following)),
      actual: key,
      lastMatch,
      closest: findClosest(path, start.boundary, key, body, index.isTaken),
    })
  }

  const take = (boundary: string, { keys }: Description): number | null => {
    for (const key of keys) {
      const effect = index.take(boundary, key)
      if (effect !== null) return effect
    }
    return null
  }

  const takeAnswer = (keys: readonly string[]): AnsweredAtOnce | null => {
    for (const key of keys) {
      const record = cursor.takeAnswer(key)
      if (record !== null) return record
    }
    return null
  }

  const tryAnswer: TapeSource['tryAnswer'] = (call) => {
    activeAt = monotonicMs()
    // A key that the tape has was scrubbed when it was written: to look for secrets costs more than to
    // compare.
    const asItIs = call.child === undefined ? cursor.takeAnswer(call.key) : null
    const record = asItIs ?? takeAnswer(call.keys())
    if (record === null) {
      const refusal = index.takeRefusedCall(call.keys()[0])
      if (refusal !== null) throw tools.refuseAgain(refusal)
      const foreign = calls.unmatched(call.child)
      if (foreign?.recorded !== undefined) second.setPlace(foreign.recorded.at)
      return foreign
    }
    calls.check(record, call.keys()[0], call.child)
    second.setPlace(placeOf(record))
    lastMatch = { seq: record.seq, key: record.kind.key }
    return { ...calls.decode(record), key: calls.keyOf(record) }
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
      throw divergenceError(tools.diverge(missOf(call, call.keys()[0], null)))
    },
    tryAnswer,
    nextEffect() {
      const record = cursor.peekDelivery()
      return record === null ? null : (matched.get(effectOf(record)) ?? null)
    },
    start(start, description) {
      activeAt = monotonicMs()
      const effect = take(start.boundary, description)
      if (effect === null) return null
      lastMatch = { seq: cursor.peekDelivery()?.seq ?? index.records, key: description.keys[0] }
      patience.reset()
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
    missOf(start, description) {
      const [key] = description.keys
      const gap = index.gaps.find((known) => isGapOf(known, start.boundary, key))
      return gap === undefined ? missOf(start, key, description.body ?? null) : unrecorded(gap)
    },
    passed(record) {
      const { kind } = record
      if (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end' && kind.kind !== 'ws_message') return
      const effect = matched.get(kind.of)
      if (effect !== undefined) effect.code.recordedSent?.(record)
      else if (closedCodes.has(kind.of)) {
        if (kind.kind === 'stream_end' && kind.closedBy !== undefined)
          closedCodes.get(kind.of)?.recordedSent?.(record)
      } else if (kind.kind === 'ws_message' || kind.stream !== undefined)
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

/**
 * The gap of a worker thread has a boundary of its own; version 0.1 has no call in its reason. Tapes from
 * before servers were recorded have one reason for all.
 */
function isGapOf({ boundary, reason }: TapeIndex['gaps'][number], started: string, key: string): boolean {
  if (boundary === 'worker') return key.startsWith('new Worker') && reason.includes('a worker thread')
  if (reason === 'a server that listens') return key.startsWith('listen ')
  return boundary === started && reason.startsWith(key)
}
