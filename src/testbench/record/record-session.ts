/**
 * A session whose world is real: what the program asks for goes on the tape when it asks, what the world answers goes on the tape when the gate
 * hands it over, in exactly that order. A record is written before the program sees what it says.
 */
import { AsyncResource } from 'node:async_hooks'
import { label } from '../../base/index.ts'
import { createGate } from '../../boundaries/gate.ts'
import { type NetworkPolicy, openNetwork } from '../../boundaries/network/policy.ts'
import type { ClockValue, Effect, EffectOptions, Outcome, Session } from '../../boundaries/session.ts'
import { realSetTimeout } from '../../real/clock.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import { describeRequest, type MatchRules } from '../keys/request-key.ts'
import { spawnKey, syncKey } from '../keys/spawn-key.ts'
import { createCallRecorder } from '../llm/call-recorder.ts'
import { createMcpFollowers } from '../mcp/http-recorder.ts'
import { type ChildRecords, childRecords, unlessEnded } from '../process/child-records.ts'
import { answerWriter } from '../records/answers.ts'
import { clockText } from '../records/clock-text.ts'
import type { Crossings } from '../records/completeness.ts'
import type { OutcomeWriter } from '../records/outcome-writer.ts'
import { recordedTerminals } from '../terminal/recorded-terminals.ts'
import { createMoments } from './moments.ts'
import { outcomeWriter, plainWriter } from './outcome-records.ts'

export type RecordOptions = {
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  readonly match?: MatchRules
  readonly network?: NetworkPolicy
  /** The answer to a request with this key, from an older tape; null if it has none, and the request goes out. */
  readonly served?: (key: string) => readonly Outcome[] | null
  /** The tape, beside which the cassettes of terminals go; without one there are none. */
  readonly tape?: string
  /** Called when nothing is under way any more but timers: a paused clock may then go on. */
  readonly onQuiet?: () => void
}

export type RecordSession = {
  readonly session: Session
  /** Whether something other than a timer may still reach the program. */
  isBusy(): boolean
  /** Boundaries that were crossed unseen, or that refused something. */
  readonly crossings: Crossings
  /** Nothing more is recorded; what is still under way goes on as if nothing were being recorded. */
  end(): void
}

export function createRecordSession({
  recorder,
  scrubber,
  match = {},
  network = openNetwork,
  served,
  tape,
  onQuiet = () => undefined,
}: RecordOptions): RecordSession {
  const waiting: Waiting[] = []
  const gaps = new Set<string>()
  /** Streams of which the program has seen bytes that are not on the tape yet. */
  const holding = new Set<OutcomeWriter>()
  const crossings = { unknown: new Set<string>(), denied: new Set<string>() }
  const callOf = createCallRecorder(recorder, scrubber)
  const mcpOf = createMcpFollowers(recorder, scrubber)
  const writeAnswer = answerWriter(recorder, scrubber)
  const terminals = recordedTerminals(tape ?? null, recorder, scrubber)
  let nextId = 1
  let underWay = 0
  let ended = false
  const moments = createMoments()
  const children = new Set<ChildRecords>()
  const isBusy = (): boolean => underWay > 0 || waiting.length > 0 || (children.size > 0 && [...children].some((child) => child.isBusy()))

  const gate = createGate(() => {
    // An outcome whose effect was closed while it waited is dropped, and was never recorded.
    while (waiting[0]?.effect.closed === true) waiting.shift()
    const first = waiting[0]
    if (first === undefined) return 'idle'
    const { effect, moment } = first
    let together = false
    const next = (): Outcome | null => {
      const item = waiting[0]
      // The parts of an answer that the world gave at one go reach a program at one go without us as well.
      if (together && !(effect.answers && !effect.closed && moment !== null && item?.effect === effect && item.moment === moment)) return null
      waiting.shift()
      const outcome = item?.outcome ?? first.outcome
      if (!ended) {
        effect.records.write(outcome, together)
        noteHeld(effect)
      }
      together = true
      return outcome
    }
    return { resource: effect.resource, receive: effect.receive, next, after: afterHandover }
  })

  const noteHeld = ({ records }: OpenEffect): void => {
    if (records.isHolding === true) holding.add(records)
    else holding.delete(records)
  }

  const afterHandover = (): void => {
    if (waiting.length > 0) gate.wake()
    if (!isBusy()) onQuiet()
  }

  const describe = (id: number, key: string, options: EffectOptions) => {
    const before = scrubber.hits
    if (options.child !== undefined) {
      const child = childRecords(id, options.child, recorder, scrubber)
      return { records: child, call: null, child, startKey: spawnKey(options.child, scrubber).key, hits: scrubber.hits - before }
    }
    const request = options.request === undefined ? null : describeRequest(options.request, scrubber, match)
    const startKey = request === null ? scrubber.text(key, 'sent') : request.key
    const call = request === null || ended ? null : request.mcp === null ? callOf(id, request) : mcpOf(id, request.url, request.mcp)
    const { terminal } = options
    const plain = () =>
      request === null ? plainWriter(id, recorder, scrubber, writeAnswer) : outcomeWriter(id, request, recorder, scrubber, writeAnswer, call)
    const records = terminal === undefined ? plain() : terminals.begin(id, terminal)
    return { records, call, child: null, startKey, hits: scrubber.hits - before }
  }

  const session: Session = {
    mode: 'record',
    ...(served === undefined ? {} : { mayServe: true }),
    readClock(api, source, perform): ClockValue {
      const value = perform()
      if (ended) return value
      recorder.record({ kind: 'clock_read', source, ...clockText(value), api })
      return value
    },
    readRandom(api, perform) {
      const bytes = perform()
      if (ended) return bytes
      const before = scrubber.hits
      const data = recorder.chunkFromBytes(scrubber.bytes(bytes, 'received'))
      recorder.record({ kind: 'random_read', api, data }, scrubber.hits - before)
      return bytes
    },
    readFact(api, name, perform) {
      const value = perform()
      if (ended) return value
      const before = scrubber.hits
      const known = value === null ? null : name === '*' ? scrubAll(value, scrubber) : scrubber.env(name, value)
      recorder.record({ kind: 'env_read', name: scrubber.text(name, 'sent'), value: known, api }, scrubber.hits - before)
      return value
    },
    start(boundary, key, receive, options = {}) {
      const id = nextId
      nextId += 1
      const { records, call, child, startKey, hits } = describe(id, key, options)
      if (!ended) {
        const asked = call?.request ?? child?.request
        const pid = options.child?.pid ?? null
        const start = { kind: 'effect_start', id, boundary, key: startKey } as const
        const told = asked === undefined ? start : { ...start, request: asked }
        const { seq, monotonicMs } = recorder.record(pid === null ? told : { ...told, pid }, hits)
        call?.started(seq, monotonicMs)
      }
      if (child !== null) children.add(child)
      const counts = boundary !== CLOCK && options.supporting !== true && child === null
      if (counts) underWay += 1
      let isCounted = counts
      const uncount = (): void => {
        if (isCounted) underWay -= 1
        isCounted = false
      }
      // Input may come at any time, or never: time stands still for it only as long as it may be on its way.
      if (counts && boundary === STDIO) {
        realSetTimeout(() => {
          uncount()
          if (!isBusy()) onQuiet()
        }, INPUT_PATIENCE_MS)
      }
      const resource = new AsyncResource('reprise.effect', { requireManualDestroy: true })
      const effect: OpenEffect = { records, receive, resource, answers: options.request !== undefined, closed: false }
      const known = options.request === undefined ? null : (served?.(startKey) ?? null)
      for (const outcome of known ?? []) waiting.push({ effect, outcome, moment: null })
      if (known !== null) gate.wake()
      const live: Effect = {
        id,
        arrive(outcome) {
          if (effect.closed) return
          waiting.push({ effect, outcome, moment: moments.current() })
          gate.wake()
        },
        close() {
          if (effect.closed) return
          effect.closed = true
          if (!ended) records.abandon()
          holding.delete(records)
          if (child !== null) children.delete(child)
          uncount()
          if (!isBusy()) onQuiet()
        },
        // The real thing keeps the process alive, or does not.
        setRef: () => undefined,
        did(action) {
          if (!ended) records.did?.(action)
        },
      }
      if (known !== null) return { ...live, served: true }
      return child === null ? live : { ...live, child: { ...child.side, ...unlessEnded(child.side, () => ended) } }
    },
    answer(_boundary, key, perform, _sent, child) {
      const answer = perform()
      if (ended) return answer
      writeAnswer(answer, { key: child === undefined ? scrubber.text(key, 'sent') : syncKey(spawnKey(child, scrubber).key) })
      return answer
    },
    allowsNetwork(url) {
      const allowed = network.allows(url)
      if (!allowed) crossings.denied.add('network')
      return allowed
    },
    note(boundary, reason) {
      if (ended || gaps.has(`note ${boundary} ${reason}`)) return
      gaps.add(`note ${boundary} ${reason}`)
      recorder.record({ kind: 'note', boundary, reason: scrubber.text(reason, 'sent') })
    },
    gap(boundary, reason) {
      if (ended || gaps.has(`${boundary} ${reason}`)) return
      gaps.add(`${boundary} ${reason}`)
      crossings.unknown.add(boundary)
      recorder.record({ kind: 'gap', boundary, reason: scrubber.text(reason, 'sent') })
    },
  }
  return {
    session,
    isBusy,
    crossings,
    end() {
      // What they have said and the scrubber still holds back is written now: a replay must have it.
      if (!ended) for (const child of children) child.abandon()
      children.clear()
      if (!ended) for (const records of holding) records.abandon()
      holding.clear()
      if (!ended) terminals.end()
      ended = true
    },
  }
}

const CLOCK = label('clock')
const STDIO = label('stdio')
const INPUT_PATIENCE_MS = 100

/** Outcomes of one moment came out of one call of the world; null stands for a moment of its own. */
type Waiting = { readonly effect: OpenEffect; readonly outcome: Outcome; readonly moment: number | null }

type OpenEffect = {
  readonly records: OutcomeWriter
  /** It is a request: its outcomes are the parts of an answer. */
  readonly answers: boolean
  readonly receive: (outcome: Outcome) => void
  readonly resource: AsyncResource
  closed: boolean
}

/** The whole environment as one JSON object: each value by its own name. */
function scrubAll(json: string, scrubber: Scrubber): ReturnType<Scrubber['text']> {
  const values: Record<string, string> = JSON.parse(json)
  const clean = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, scrubber.env(name, value)]))
  return scrubber.text(JSON.stringify(clean), 'received')
}
