/**
 * Outcomes from a tape of another system, which has neither match keys nor the starts of effects. The source
 * plays the world: it gives each call the outcome that its record describes, and the session records that as
 * it records any other outcome.
 *
 * A call that returns at once must be the first free record. Effects can run at the same time; they are
 * delivered in the order of the tape. Values that upstream's format does not contain (random values,
 * variables, facts of the machine) come from this machine, as in upstream's own replays.
 *
 * Decision 0298.
 */
import { label, Queue } from '../../../base/index.ts'
import type { Outcome } from '../../../boundaries/session.ts'
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../../real/clock.ts'
import type { RpcMessage } from '../../mcp/json-rpc.ts'
import { answerOf } from '../../records/answers.ts'
import { clockValue } from '../../records/clock-text.ts'
import type { Origin } from '../../session/family.ts'
import type { Kernel, OpenEffect, Source, Turn } from '../../session/source.ts'
import { createPatience, LOOK_EVERY_MS, PATIENCE_MS } from '../patience.ts'
import { isReadByPackage } from './clock-caller.ts'
import { effectOutcomes, type ForeignTape, type Prepared } from './effect-outcomes.ts'
import type { ForeignRecorder } from './foreign-recorder.ts'
import { type ForeignRecord, isKind } from './foreign-records.ts'
import { lineOutcome, type McpChild, mcpChild } from './mcp-child.ts'
import { orNull } from './missing-payload.ts'
import { createProgress } from './progress.ts'

export type ForeignSourceOptions = ForeignTape & {
  readonly second: ForeignRecorder
  /** 0 does not wait; 1 waits as long as the run did, 2 half as long. */
  readonly speed: number
  /** Where the clock of the run starts. */
  readonly startedAtMs: number
}

export type ForeignSource = Source & {
  idleMs(): number
  isAtEnd(): boolean
  readonly extraClockReads: number
}

/** An effect that waits for the turn of its record; `seq` −1 for what has none and is delivered at once. */
type Pending = {
  readonly seq: number
  readonly record: ForeignRecord | null
  readonly effect: OpenEffect
  readonly outcomes: readonly Outcome[]
}
/** A pid that no machine gives: the tape has none. */
const FIRST_PID = 10_000_000
const CLOCK = label('clock')
const RANDOM = label('random')
const WORLD: Origin = { type: 'world' }
/** Timers that only guard something never fire: the tape has no record of one that did. */
const SLEEPERS =
  /^(?:setTimeout|setInterval|timers\.promises\.set(?:Timeout|Interval)|scheduler\.wait) (\d+(?:\.\d+)?)$/
const IMMEDIATES = /^(?:setImmediate|timers\.promises\.setImmediate|scheduler\.yield)$/
/** Node's least delay: a timer that waits for no time has no record. */
const NO_TIME_MS = 1
const MAX_EXTRA_READS = 100
/** Shorter than the patience of the library, so that the reason is found here. */
const WAIT_MS = PATIENCE_MS / 2

export function foreignSource(kernel: Kernel, options: ForeignSourceOptions): ForeignSource {
  const { tools, gate } = kernel
  const { records, second, payloads, files, speed, startedAtMs } = options
  const pending: Pending[] = []
  const delivering = new Queue<{ readonly effect: OpenEffect; readonly outcome: Outcome }>()
  const timers: OpenEffect[] = []
  const children = new Map<number, McpChild>()
  const patience = createPatience()
  const progress = createProgress(kernel, { records, patience, startedAtMs })
  const { take, passTo, miss, refuse } = progress
  const served = effectOutcomes(kernel, progress, options)
  let prepared: Prepared | null = null
  const beganAt = monotonicMs()
  let activeAt = beganAt
  let nextLook: NodeJS.Timeout | undefined
  let nextPid = FIRST_PID
  let extraClockReads = 0
  let reported = 0

  second.onSent((effect, stream, bytes) => children.get(effect)?.sent(stream, bytes))

  const childAsked = (effect: OpenEffect, messages: readonly RpcMessage[]): void => {
    for (const message of messages) {
      if (message.type !== 'request') continue
      const { record, text } = served.answerCall(message)
      if (record !== null) second.serves(effect.id, record)
      wait(record, effect, [lineOutcome(text)])
    }
  }

  // Turns.

  const wait = (record: ForeignRecord | null, effect: OpenEffect, outcomes: readonly Outcome[]): void => {
    // What has no record comes after what the effect is still waiting for.
    const seq = record?.seq ?? pending.findLast((item) => item.effect === effect)?.seq ?? -1
    const at = pending.findIndex((item) => item.seq > seq)
    pending.splice(at < 0 ? pending.length : at, 0, { seq, record, effect, outcomes })
    gate.wake()
  }

  const deliver = (effect: OpenEffect, outcomes: readonly Outcome[]): void => {
    for (const outcome of outcomes) delivering.push({ effect, outcome })
  }

  const next = (): Turn => {
    const item = delivering.shift()
    if (item !== undefined) {
      gate.wake()
      return item.effect.closed ? 'more' : turnOf(item.effect, item.outcome)
    }
    drop(timers)
    const first = records.first()
    const [waiting] = pending
    if (waiting !== undefined && (first === null || waiting.seq < first.seq)) {
      if (isTooEarly(waiting.record)) return 'idle'
      pending.shift()
      if (waiting.record !== null) passTo(waiting.record)
      deliver(waiting.effect, waiting.outcomes)
      return 'more'
    }
    if (isKind(first, 'clock_sleep')) {
      const { durationMs } = first.kind
      const timer = timers.find(({ start }) => Math.trunc(delayOf(start.key)) === durationMs)
      if (timer !== undefined) {
        if (isTooEarly(first)) return 'idle'
        take(first)
        passTo(first)
        second.serves(timer.id, first)
        deliver(timer, [{ type: 'timer' }])
        return 'more'
      }
    }
    const timeless = timers.find(({ start }) => delayOf(start.key) <= NO_TIME_MS)
    if (timeless !== undefined) {
      deliver(timeless, [{ type: 'timer' }])
      return 'more'
    }
    return look(first, waiting)
  }

  /** With a speed, a record waits for its time. Wakes up the gate then. */
  const isTooEarly = (record: ForeignRecord | null): boolean => {
    if (speed === 0 || record === null) return false
    const waitMs = record.monotonicMs / speed - (monotonicMs() - beganAt)
    if (waitMs > 1) realSetTimeout(() => gate.wake(), waitMs)
    return waitMs > 1
  }

  /** The program waits for something that is not the next on the tape. It may be loading a module. */
  const look = (first: ForeignRecord | null, waiting: Pending | undefined): Turn => {
    const sleeper = timers.find(({ ref }) => ref)
    if (waiting === undefined && sleeper === undefined) return 'idle'
    if (!patience.isOver(WAIT_MS)) {
      realClearTimeout(nextLook)
      nextLook = realSetTimeout(() => gate.wake(), LOOK_EVERY_MS)
      return 'idle'
    }
    patience.reset()
    if (waiting !== undefined && first !== null) {
      tools.diverge(miss(waiting.effect.key, 'out_of_order'))
      records.take(first)
    } else if (sleeper !== undefined) {
      tools.diverge(miss(sleeper.key))
      deliver(sleeper, [{ type: 'timer' }])
    }
    return 'more'
  }

  const turnOf = (effect: OpenEffect, outcome: Outcome): Turn => {
    activeAt = monotonicMs()
    let isGiven = false
    return {
      effect,
      next() {
        if (isGiven) return null
        isGiven = true
        return { outcome }
      },
    }
  }

  const readClock: Source['readClock'] = ({ api, source }) => {
    const unit = /^(process\.hrtime|Temporal\.Now)/.test(api) ? 'ns' : 'ms'
    const given = (valueMs: number) => ({ value: clockValue({ valueMs }, unit) })
    if (api === 'performance.timeOrigin') return given(startedAtMs)
    const nowMs = progress.now(source)
    if (isReadByPackage(readClock)) {
      extraClockReads += 1
      return given(nowMs)
    }
    const first = records.first()
    if (isKind(first, 'clock_read') && first.kind.source === source) {
      take(first)
      passTo(first)
      second.servesNext(first)
      return given(first.kind.valueMs)
    }
    extraClockReads += 1
    reported += 1
    if (reported <= MAX_EXTRA_READS) tools.diverge(miss(`${api} (clock_read ${source})`, 'clock_extra'))
    return given(nowMs)
  }

  return {
    isLive: (boundary) => boundary === RANDOM,
    get extraClockReads() {
      return extraClockReads
    },
    readClock,
    readRandom: (_read, perform) => ({ value: perform() }),
    readFact: (_read, perform) => ({ value: perform() }),
    answer({ key, sent, child }) {
      activeAt = monotonicMs()
      const first = records.first()
      const isWanted =
        first !== null && (child === undefined ? files.matches(first, key) : served.isSpawn(first, child))
      if (first === null || !isWanted) return refuse(miss(key))
      take(first)
      const { kind } = first
      const answer =
        kind.kind === 'process_spawn'
          ? (orNull(() => answerOf(kind, payloads)) ?? served.missingOutput(first))
          : files.answer(first, sent)
      if ('category' in answer) return refuse(answer)
      passTo(first)
      second.servesNext(first)
      return { answer }
    },
    start(start) {
      activeAt = monotonicMs()
      prepared = null
      const { boundary, options: given } = start
      if (boundary === RANDOM) return WORLD
      if (given.supporting === true) return null
      if (boundary !== CLOCK && given.real !== true) {
        prepared = served.prepare(start)
        if (prepared === null) return null
      }
      nextPid += 1
      return { type: 'world', played: { pid: nextPid } }
    },
    opened(effect) {
      const { start } = effect
      const mine = prepared
      prepared = null
      if (start.boundary === CLOCK) {
        if (IMMEDIATES.test(start.key)) deliver(effect, [{ type: 'timer' }])
        else if (SLEEPERS.test(start.key)) timers.push(effect)
      }
      if (mine !== null) {
        for (const record of mine.records) second.serves(effect.id, record, mine.unseen)
        const { child } = start.options
        if (child !== undefined && mine.records.length === 0)
          children.set(effect.id, serverOf(effect, child.stdio))
        else wait(mine.records.at(-1) ?? null, effect, mine.outcomes)
      }
      gate.wake()
    },
    arrive(effect, outcome) {
      deliver(effect, [outcome])
      gate.wake()
    },
    closed(effect) {
      children.delete(effect.id)
      for (let at = pending.length - 1; at >= 0; at -= 1)
        if (pending[at]?.effect === effect) pending.splice(at, 1)
    },
    next,
    missOf: (_start, { keys }) => miss(keys[0]),
    idleMs: () => monotonicMs() - activeAt,
    isAtEnd: () => records.first() === null && pending.length === 0,
  }

  function serverOf(effect: OpenEffect, stdio: readonly string[]): McpChild {
    return mcpChild({
      stdio,
      asked: (messages) => childAsked(effect, messages),
      ended: (outcomes) => wait(null, effect, outcomes),
    })
  }
}

function delayOf(key: string): number {
  return Number(SLEEPERS.exec(key)?.[1] ?? 0)
}

function drop(timers: OpenEffect[]): void {
  for (let at = timers.length - 1; at >= 0; at -= 1) if (timers[at]?.closed === true) timers.splice(at, 1)
}
