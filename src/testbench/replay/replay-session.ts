/**
 * A session whose world is the tape. A live effect is matched to a recorded one by key, then in recorded order among equal keys; outcomes are handed
 * out in the order of the tape, one per turn. Never reuse, never guess: what is not on the tape is a divergence, thrown into the program and kept.
 *
 * Nothing real keeps the process alive but the next turn. If the program waits for something that the tape never delivers, the process ends by
 * itself, as Node always does, and the verdict says what was waited for.
 */
import { errorFacts } from '../../boundaries/errors.ts'
import { createGate, type TurnResult } from '../../boundaries/gate.ts'
import type { Answer, Effect, Outcome, Session } from '../../boundaries/session.ts'
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { realCwd } from '../../real/process.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import type { TapeRecord } from '../../tape/index.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { divergenceError, gapDivergence, missDivergence, type ReplayDivergence } from '../difference/divergence.ts'
import { recordedStretches } from '../files/recorded-stretches.ts'
import { compareUnfinished, type UnfinishedFindings } from '../files/unfinished-writes.ts'
import { describeRequest, type MatchRules } from '../keys/request-key.ts'
import { movingRoot, spawnKey, syncKey } from '../keys/spawn-key.ts'
import { createMcpReplay, type Refusal } from '../mcp/http-replay.ts'
import { childReplays } from '../process/child-replays.ts'
import { type AnswerKind, answerOf } from '../records/answers.ts'
import { type AnsweredAtOnce, type Delivery, effectOf, summaryOf } from '../records/delivered-kinds.ts'
import { contentDivergence } from '../records/sent-content.ts'
import type { ForeignSpawn } from '../tape-index/foreign-spawn.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { replayedTerminals } from '../terminal/replayed-terminals.ts'
import { findClosest } from './closest.ts'
import { type EmittedTape, noTape } from './emitted-tape.ts'
import { expectedCall } from './expected-call.ts'
import { type LiveEffect, liveEffect, toProgram } from './live-effect.ts'
import { createPatience, LOOK_EVERY_MS, PATIENCE_MS } from './patience.ts'
import { partsAhead, recordedOutcomes } from './recorded-outcomes.ts'
import { replayReads } from './replay-reads.ts'
import { TapeCursor } from './tape-cursor.ts'
import { thisRun } from './this-run.ts'
import { endWaitsInVain } from './waits-in-vain.ts'

export type ReplayOptions = {
  readonly path: string
  readonly index: TapeIndex
  readonly scrubber: Scrubber
  readonly match?: MatchRules
  /** 0 does not wait; 1 waits as long as the run did, 2 half as long. */
  readonly speed?: number
  /** Where this run is written to, if anywhere. */
  readonly emit?: EmittedTape
}

/** What the verdict is made from. */
export type ReplayState = {
  readonly divergences: readonly ReplayDivergence[]
  readonly extraClockReads: number
  readonly missingClockReads: number
  readonly missingRandomReads: number
  readonly extraFactReads: number
  /** Outcomes that were stepped over because the program never asked for them, and the first that was not reached. */
  readonly skipped: readonly Delivery[]
  readonly next: Delivery | null
  /** Answers to calls that the program did not make. */
  readonly answersLeft: readonly AnsweredAtOnce[]
  /** Subprocesses of a foreign tape that the program did not start. */
  readonly foreignLeft: readonly ForeignSpawn[]
  /** What the tape cannot vouch for. */
  readonly doubts: readonly string[]
}

/** How long off-thread work, done for real in a replay too, may take once its turn has come. */
const WORK_PATIENCE_MS = 60_000
const MAX_KEPT = 1000

export type ReplaySession = {
  readonly session: Session
  state(): ReplayState
  /** Where the run left its tape, so far. */
  firstDivergence(): ReplayDivergence | null
  /** Real milliseconds since the program last asked for something or was given something. */
  idleMs(): number
  /** Whether the tape has nothing more to hand out. */
  isAtEnd(): boolean
  /** For a session without an end that could be watched: ends waits for what never comes. */
  endWaits(isAllTaped: boolean): Disposable
}

export function createReplaySession(options: ReplayOptions): ReplaySession {
  const { path, index, scrubber, match = {}, speed = 0, emit = noTape } = options
  const moved = movingRoot(realCwd(), index.header.roots?.[0] ?? realCwd())
  const cursor = new TapeCursor(path, (record) => passed(record), index.selection, index.takeRecords())
  const payloads = tapePayloads(path)
  const open = new Map<number, LiveEffect>()
  const mcp = createMcpReplay()
  const translation = { recordedId: mcp.recordedId, moved }
  const run = thisRun(emit, () => void cursor.peekDelivery())
  const { said } = run
  const terminals = replayedTerminals(path, index)
  /** What is said to the program that is not on the tape. */
  const ownOutcomes: { readonly effect: LiveEffect; readonly outcome: Outcome }[] = []
  const recorded = recordedOutcomes(
    payloads,
    index.hasScrubbedStream,
    (effect) => partsAhead(effect, skipped, cursor),
    (kind) => toAnswer(kind),
    terminals,
  )
  const bytesRead = recordedStretches(payloads, () => cursor.unread())
  const toAnswer = (kind: AnswerKind): Answer => answerOf(kind, payloads, bytesRead)
  const divergences: ReplayDivergence[] = []
  const skipped: Delivery[] = []
  const children = childReplays({
    index,
    scrubber,
    payloads,
    keep: (divergence) => keep(divergence),
    moved,
    say: (id, outcome) => sayTo(open.get(id), outcome),
  })
  let lastMatch: { readonly seq: number; readonly key: string } | null = null
  let nextId = 1
  const patience = createPatience()
  let nextLook: NodeJS.Timeout | undefined
  const startedAt = monotonicMs()
  let activeAt = startedAt

  const keep = (divergence: ReplayDivergence): ReplayDivergence => {
    if (divergences.length < MAX_KEPT) divergences.push(divergence)
    return divergence
  }

  const sayTo = (effect: LiveEffect | undefined, outcome: Outcome): void => {
    if (effect !== undefined) ownOutcomes.push({ effect, outcome })
    gate.wake()
  }

  const gate = createGate(() => {
    const own = ownOutcomes.shift()
    if (own !== undefined) {
      gate.wake()
      return own.effect.closed ? 'more' : toProgram(own.effect, [own.outcome])
    }
    const late = takeLate()
    if (late !== null) {
      gate.wake()
      return hand(late, () => null)
    }
    const delivery = cursor.peekDelivery()
    if (delivery === null) return 'idle'
    const recordedId = effectOf(delivery)
    const effect = open.get(recordedId)
    if (effect === undefined && !index.isTaken(recordedId)) return waitForProgram(delivery, PATIENCE_MS)
    if (effect !== undefined && children.isBehind(recordedId)) return waitForProgram(delivery, PATIENCE_MS)
    if (effect?.work === 'under way' && !effect.closed) return waitForProgram(delivery, WORK_PATIENCE_MS)
    const wait = speed > 0 ? delivery.monotonicMs / speed - (monotonicMs() - startedAt) : 0
    if (wait > 1) {
      realSetTimeout(() => gate.wake(), wait)
      return 'idle'
    }
    patience.reset()
    cursor.passDelivery()
    said.endTurn()
    gate.wake()
    return hand(delivery, () => cursor.passTogether(recordedId))
  })

  const passed = (record: TapeRecord): void => {
    children.passed(record)
    run.passed(record)
  }

  /** What this delivery brings, and those that came with it at one go. */
  const hand = (delivery: Delivery, together: () => Delivery | null): TurnResult => {
    const effect = open.get(effectOf(delivery))
    if (effect !== undefined) {
      return toProgram(effect, outcomesOf(delivery), () => {
        const more = together()
        return more === null ? null : outcomesOf(more)
      })
    }
    for (let next: Delivery | null = delivery; next !== null; next = together()) outcomesOf(next)
    return 'idle'
  }

  const outcomesOf = (delivery: Delivery): Outcome[] => {
    activeAt = monotonicMs()
    reads.beginTurn()
    const recordedId = effectOf(delivery)
    const effect = open.get(recordedId)
    const given = children.outcomes(delivery, recorded.outcomesOf(delivery))
    const outcomes = mcp.renamed(recordedId, given, () => recorded.bodyAhead(recordedId))
    if (effect !== undefined) {
      effect.hasAnswer = true
      emit.served(delivery, effect.id)
    }
    said.delivered(delivery)
    // A response that nobody read may be closed by garbage collection at another moment than when it was recorded: passed over.
    if (effect === undefined || effect.closed) return []
    const other = effect.sent === undefined ? null : contentDivergence(delivery, effect.sent, payloads, scrubber, effect.key)
    if (other !== null) outcomes.splice(0, outcomes.length, { type: 'error', error: errorFacts(divergenceError(keep(other))) })
    return outcomes
  }

  /** An outcome that was stepped over, and that the program has asked for since. */
  const takeLate = (): Delivery | null => {
    const at = skipped.findIndex((delivery) => (open.get(effectOf(delivery))?.work ?? 'under way') !== 'under way')
    if (at < 0) return null
    const [delivery] = skipped.splice(at, 1)
    if (delivery === undefined) return null
    if (delivery.kind.kind === 'http_exchange' || delivery.kind.kind === 'timer_fire') {
      const message = `Record ${delivery.seq} came too early: the program asked for ${summaryOf(delivery)} later than it did when recorded`
      keep({ seq: delivery.seq, category: 'out_of_order', message, expected: summaryOf(delivery), actual: null, path: null })
    }
    return delivery
  }

  /**
   * The next outcome is for something that the program has not asked for, or for work that is not done. The program may still be loading a module, so
   * this waits, without keeping the process alive unless the program waits for something too; then the outcome is stepped over after a while, and
   * reported.
   */
  const waitForProgram = (delivery: Delivery, patienceMs: number): 'more' | 'idle' => {
    const isWaiting = [...open.values()].some((effect) => effect.ref && !effect.closed)
    if (patience.isOver(patienceMs)) {
      if (skipped.length < MAX_KEPT) skipped.push(delivery)
      cursor.passDelivery()
      return 'more'
    }
    // One look at a time: every wake-up on the way would otherwise add a timer of its own.
    realClearTimeout(nextLook)
    nextLook = realSetTimeout(() => gate.wake(), LOOK_EVERY_MS)
    if (!isWaiting) nextLook.unref()
    return 'idle'
  }

  const reads = replayReads({ cursor, index, scrubber, payloads, emit, keep, standAtAsked: run.standAtAsked })

  const session: Session = {
    mode: 'replay',
    readClock: reads.readClock,
    readRandom: reads.readRandom,
    readFact: reads.readFact,
    start(boundary, key, receive, effectOptions = {}) {
      const request = effectOptions.request === undefined ? null : describeRequest(effectOptions.request, scrubber, match, translation)
      const spawn = effectOptions.child === undefined ? null : spawnKey(effectOptions.child, scrubber, moved)
      // As in `answer`: what stands on the tape as it is holds nothing to be scrubbed.
      const asItIs = spawn === null && request === null ? index.take(boundary, key) : null
      const wanted = spawn?.key ?? request?.key ?? (asItIs === null ? scrubber.text(key, 'sent') : fromDisk<string>(key))
      activeAt = monotonicMs()
      const { child } = effectOptions
      const matched = asItIs ?? index.take(boundary, wanted) ?? (spawn === null ? null : index.take(boundary, spawn.anywhere))
      const foreign = matched !== null || spawn === null || child === undefined ? null : children.joinForeign(child, spawn)
      const recordedId = matched ?? foreign?.recordedId ?? null
      const id = nextId
      nextId += 1
      run.standAtAsked(`effect ${recordedId}`)
      // Also what is not on the tape was asked for: the tape of this run says so.
      emit.start(id, boundary, wanted, request, recordedId === null ? undefined : index.childStart(recordedId))
      if (recordedId !== null && emit !== noTape) said.started(recordedId)
      if (recordedId === null) {
        const gap = index.gaps.find((known) => known.boundary === boundary && known.reason.startsWith(wanted))
        if (gap !== undefined) throw divergenceError(keep(gapDivergence(gap)))
        const miss = missOf(boundary, wanted, request?.body ?? null)
        const refusal = mcp.refuse(request?.mcp ?? null, miss)
        if (refusal === null) throw divergenceError(effectOptions.supporting === true ? miss : keep(miss))
        keep(miss)
        return refused(refusal, liveEffect(id, boundary, wanted, receive, effectOptions))
      }
      if (child !== undefined && matched !== null) children.checkStart(matched, child, wanted)
      if (request !== null && request.mcp !== null) mcp.matched(recordedId, request.mcp, request.url, index.callNames(recordedId))
      const unreadable = effectOptions.terminal === undefined ? null : terminals.begin(recordedId)
      if (unreadable !== null) throw divergenceError(keep(unreadable))
      lastMatch = { seq: cursor.peekDelivery()?.seq ?? index.records, key: wanted }
      patience.reset()
      const effect = liveEffect(id, boundary, wanted, receive, effectOptions)
      open.set(recordedId, effect)
      for (const outcome of foreign?.outcomes ?? []) sayTo(effect, outcome)
      gate.wake()
      const live: Effect = {
        id,
        arrive() {
          if (effect.work !== 'under way') return
          effect.work = 'done'
          gate.wake()
        },
        close() {
          if (!effect.closed) said.closed(recordedId)
          effect.closed = true
          open.delete(recordedId)
          recorded.forget(recordedId)
          if (child !== undefined) children.closed(recordedId)
          mcp.forget(recordedId)
        },
        setRef(ref) {
          effect.ref = ref
        },
        did(action) {
          const other = terminals.did(recordedId, action)
          if (other !== null) throw divergenceError(keep(other))
        },
      }
      return child === undefined ? live : { ...live, child: foreign?.side ?? said.watched(children.join(recordedId, child, wanted), recordedId) }
    },
    answer(boundary, key, _perform, sent, child) {
      activeAt = monotonicMs()
      const spawn = child === undefined ? null : spawnKey(child, scrubber, moved)
      // What stands on the tape as it is holds nothing to be scrubbed; to look is dearer than to try.
      const asItIs = spawn === null ? cursor.takeAnswer(key) : null
      const wanted = asItIs !== null ? key : spawn === null ? scrubber.text(key, 'sent') : syncKey(spawn.key)
      const record = asItIs ?? cursor.takeAnswer(wanted) ?? (spawn === null ? null : cursor.takeAnswer(syncKey(spawn.anywhere)))
      const foreign = record !== null || spawn === null ? null : children.answerForeign(spawn)
      if (foreign !== null) return foreign
      if (record === null) throw divergenceError(keep(missOf(boundary, wanted, null)))
      if (child !== undefined) children.checkAnswered(record, child, wanted)
      emit.served(record, null)
      const other = sent === undefined ? null : contentDivergence(record, sent, payloads, scrubber, wanted)
      if (other !== null) throw divergenceError(keep(other))
      lastMatch = { seq: record.seq, key: wanted }
      return toAnswer(record.kind)
    },
    allowsNetwork: () => true,
    note: () => undefined,
    gap: () => undefined,
  }

  /** An effect that is answered by the replay itself. */
  const refused = ({ own, over }: Refusal, effect: LiveEffect): Effect => {
    const carrier = over === null ? undefined : open.get(over.effect)
    ownOutcomes.push(...own.map((outcome) => ({ effect, outcome })))
    if (over !== null && carrier !== undefined) ownOutcomes.push({ effect: carrier, outcome: over.outcome })
    gate.wake()
    return {
      id: effect.id,
      arrive: () => undefined,
      close() {
        effect.closed = true
      },
      setRef: () => undefined,
    }
  }

  const missOf = (boundary: string, key: string, body: Uint8Array | null): ReplayDivergence => {
    const next = cursor.peekDelivery()
    const left = new Set(cursor.answersLeft().map(({ seq }) => seq))
    const call = expectedCall(path, { end: next?.seq ?? null, isTaken: index.isTaken, isLeft: (seq) => left.has(seq) })
    return missDivergence({
      seq: call?.seq ?? next?.seq ?? null,
      expected: call?.key ?? (next === null ? null : summaryOf(next)),
      actual: key,
      lastMatch,
      closest: findClosest(path, boundary, key, body, index.isTaken),
    })
  }

  const stateWith = (written: UnfinishedFindings): ReplayState => ({
    // First, so that what the program sent in its last turn is known of.
    next: cursor.peekDelivery(),
    divergences: [...divergences, ...children.leftovers(), ...terminals.left(), ...written.divergences],
    extraClockReads: reads.extra.clock,
    missingClockReads: cursor.readsLeft().clock,
    missingRandomReads: cursor.readsLeft().random,
    extraFactReads: reads.extra.facts,
    skipped,
    answersLeft: cursor.answersLeft(),
    foreignLeft: children.foreignLeft(),
    doubts: written.doubts,
  })
  const idleMs = (): number => monotonicMs() - activeAt

  return {
    session,
    firstDivergence: () => divergences[0] ?? null,
    idleMs,
    isAtEnd: () => cursor.peekDelivery() === null,
    endWaits: (isAllTaped) => endWaitsInVain({ open, index, cursor, idleMs, keep, say: sayTo }, isAllTaped),
    state() {
      const state = stateWith(compareUnfinished(session, index.unfinished, payloads, scrubber))
      run.writeEnd()
      return state
    },
  }
}
