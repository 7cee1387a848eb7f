/**
 * The session kernel: ids, open effects, the gate, closing, divergences. One implementation for every mode.
 * What the program is given is written to the tape before the program sees it, by the code of the effect's
 * family; where it comes from is the source's business.
 *
 * Decision 0280.
 */
import { label } from '../../base/index.ts'
import { markEnded } from '../../boundaries/ended-session.ts'
import { createGate } from '../../boundaries/gate.ts'
import type { NetworkPolicy } from '../../boundaries/network/policy.ts'
import type { Effect, EffectOptions, Outcome, ServedSide, Session } from '../../boundaries/session.ts'
import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import { divergenceError, divergenceOf, type ReplayDivergence } from '../difference/divergence.ts'
import type { Crossings } from '../records/completeness.ts'
import { ContentCollector } from '../records/large-content.ts'
import { derivedSecrets } from './derived-secrets.ts'
import type {
  CallFamily,
  Description,
  EffectFamily,
  EffectStart,
  Origin,
  SessionFamily,
  TapeTools,
  Tools,
} from './family.ts'
import { openEffect } from './open-effect.ts'
import { sessionReads } from './reads.ts'
import { receivedFromBoth, receivedFromTape, receivedFromWorld } from './received.ts'
import { repeatRefusal, sessionRemarks, writeDivergence } from './remarks.ts'
import type { Kernel, OpenEffect, Source, Turn } from './source.ts'
import { refusedInDebugger, type SessionWatch } from './watch.ts'

export type SessionOptions = {
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  readonly families: readonly EffectFamily[]
  readonly calls: (tools: Tools) => CallFamily
  readonly source: (kernel: Kernel) => Source
  readonly tape?: TapeTools
  /** The tape being written; cassettes are stored next to it. */
  readonly out?: string
  /** Which hosts may be reached; without it all. */
  readonly network?: NetworkPolicy
  readonly mayServe?: boolean
  /** A refusal that ends the run: the process ends here, if it can. */
  readonly endRun?: () => void
  readonly watch?: Pick<SessionWatch, 'diverged' | 'isEvaluating'>
  /** A run that leaves its tape on purpose. */
  readonly travel?: TravelHooks
}

export type TravelHooks = {
  /** Whether what the program sends may differ from the tape. */
  readonly mayDiffer: () => boolean
  /** Whether outcomes of effects that the tape serves may come from the world. */
  readonly isLive: () => boolean
  /** The program was refused something. */
  readonly refused: (divergence: ReplayDivergence) => void
}

export type OpenSession = {
  readonly session: Session
  readonly tools: Tools
  readonly divergences: readonly ReplayDivergence[]
  readonly crossings: Crossings
  /** What was recorded and did not happen again. */
  leftovers(): readonly ReplayDivergence[]
  /** Writes what the program has seen and the scrubber holds back: a replay needs it. */
  close(): void
  /** Nothing more is recorded; what is still under way goes on as if nothing were being recorded. */
  end(): void
}

const MAX_KEPT = 1000

export function createSession(options: SessionOptions): OpenSession {
  const { recorder, scrubber, network, watch, travel } = options
  const open = new Set<OpenEffect>()
  const byId = new Map<number, OpenEffect>()
  const holding = new Set<OpenEffect>()
  const divergences: ReplayDivergence[] = []
  const crossings = { unknown: new Set<string>(), denied: new Set<string>() }
  /** Outcomes that no source has. */
  const own: { readonly effect: OpenEffect; readonly outcome: Outcome }[] = []
  let nextId = 1
  let ended = false
  const isEvaluating = (): boolean => watch?.isEvaluating() === true

  const world = receivedFromWorld(scrubber)
  const taped = receivedFromTape(scrubber)
  const tapedOrLive = travel === undefined ? taped : receivedFromBoth(taped, world, travel.isLive)
  const tools: Tools = {
    recorder,
    scrubber,
    out: options.out ?? null,
    tape: options.tape ?? null,
    received: (origin) => (origin.type === 'world' ? world : tapedOrLive),
    mayDiffer: () => travel?.mayDiffer() === true,
    refuseAgain(refusal) {
      const { kind } = refusal
      if (!ended) repeatRefusal(recorder, refusal)
      if (kind.ends !== undefined) options.endRun?.()
      return divergenceError(divergenceOf(kind))
    },
    diverge(divergence) {
      if (isEvaluating()) return divergence
      if ((source.refusing?.() ?? null) !== null) {
        refuse(divergence, {})
        return divergence
      }
      if (divergences.length < MAX_KEPT) divergences.push(divergence)
      if (!ended) writeDivergence(recorder, scrubber, divergence)
      watch?.diverged(divergence)
      return divergence
    },
    deliver(id, outcome) {
      const effect = byId.get(id)
      if (effect !== undefined) own.push({ effect, outcome })
      gate.wake()
    },
  }
  /** Refuses what no source has, as a part of the run. */
  const refuse = (divergence: ReplayDivergence, what: RefusedWhat): Error => {
    travel?.refused(divergence)
    const isEnd = source.refusing?.() === 'ends'
    if (!ended && (isEnd || what.of !== undefined || what.refused !== undefined))
      writeDivergence(recorder, scrubber, divergence, { ...what, ...(isEnd ? { ends: RUN } : {}) })
    if (isEnd) options.endRun?.()
    return divergenceError(divergence)
  }
  const calls = options.calls(tools)
  const families = options.families.map((family) => ({ family, inSession: family.create(tools, calls) }))
  const familyOf = (started: EffectOptions): SessionFamily => {
    const found = families.find(({ family }) => family.takes(started))
    if (found === undefined) throw new Error('no family takes this effect')
    return found.inSession
  }

  const gate = createGate(() => {
    const turn = nextTurn()
    if (typeof turn === 'string') return turn
    const { effect } = turn
    let given: readonly Outcome[] = []
    let at = 0
    const next = (): Outcome | null => {
      for (;;) {
        const outcome = given[at]
        at += 1
        if (outcome !== undefined) return outcome
        const delivery = turn.next()
        if (delivery === null) return null
        effect.hasAnswer = true
        const instead = ended ? null : effect.code.encode(delivery)
        noteHeld(effect)
        if (instead !== null) return instead
        if (delivery.given === undefined) return delivery.outcome
        given = delivery.given
        at = 0
      }
    }
    return { resource: effect.resource, receive: effect.receive, next, after: () => source.afterTurn?.() }
  })

  const nextTurn = (): Turn => {
    for (;;) {
      const first = own.shift()
      if (first === undefined) return source.next()
      gate.wake()
      if (first.effect.closed) continue
      const left = [{ outcome: first.outcome }]
      return { effect: first.effect, next: () => left.shift() ?? null }
    }
  }

  const noteHeld = (effect: OpenEffect): void => {
    if (effect.code.isHolding === true) holding.add(effect)
    else holding.delete(effect)
  }

  const source = options.source({ tools, calls, gate, open })

  const sideOf = (effect: OpenEffect, isLive: boolean): Effect => {
    const { code } = effect
    const { child, sender, served } = code
    return {
      id: effect.id,
      isLive,
      arrive: (outcome) => source.arrive(effect, outcome),
      close() {
        if (effect.closed) return
        effect.closed = true
        if (!ended) code.abandon()
        holding.delete(effect)
        open.delete(effect)
        byId.delete(effect.id)
        source.closed(effect)
      },
      setRef(ref) {
        effect.ref = ref
      },
      did(action) {
        if (!ended) code.did?.(action)
      },
      ...(child === undefined
        ? {}
        : {
            child: {
              ...child,
              send: (stream, bytes) => (ended ? null : child.send(stream, bytes)),
              sendEnd: (stream) => void (ended || child.sendEnd(stream)),
            },
          }),
      ...(sender === undefined
        ? {}
        : {
            sender: {
              send: (bytes: Uint8Array, isLogin?: boolean) => (ended ? null : sender.send(bytes, isLogin)),
              sendMessage: (message) => (ended ? null : sender.sendMessage(message)),
              sendEnd: () => void (ended || sender.sendEnd()),
            },
          }),
      ...(served === undefined ? {} : { served: untilEnded(served, () => ended) }),
    }
  }

  const writeStart = (
    start: EffectStart,
    id: number,
    description: Description,
    origin: Origin,
    hits: number,
  ): { seq: number; atMs: number } => {
    const { keys } = description
    const { request, pid } = description.start?.(origin) ?? {}
    const kind = { kind: 'effect_start', id, boundary: start.boundary, key: keys[0] } as const
    const withRequest = request === undefined ? kind : { ...kind, request }
    const { seq, monotonicMs } = recorder.record(
      pid === undefined ? withRequest : { ...withRequest, pid },
      scrubber.hits - hits,
    )
    return { seq, atMs: monotonicMs }
  }

  const reads = sessionReads(source, tools, () => ended || isEvaluating())
  const session: Session = {
    isLive: (boundary) => source.isLive(boundary),
    fields: new Map(),
    ...(options.mayServe === true ? { mayServe: true } : {}),
    ...reads,
    derived: derivedSecrets(reads.readRandom, scrubber),
    start(boundary, key, receive, startOptions = {}) {
      if (isEvaluating()) throw refusedInDebugger(key)
      const id = nextId
      nextId += 1
      const start: EffectStart = { boundary, key, options: startOptions }
      const family = familyOf(startOptions)
      const before = scrubber.hits
      const description = family.describe(id, start)
      const origin = source.start(start, description)
      const miss = (): ReplayDivergence => source.missOf(start, description)
      const refusal = origin?.type === 'tape' ? (options.tape?.index.refusal(origin.effect) ?? null) : null
      const other = origin === null ? (description.unmatched?.(miss) ?? null) : null
      const isWritten = !ended && other?.isForeign !== true
      const written = isWritten ? writeStart(start, id, description, origin ?? WORLD, before) : null
      if (refusal !== null) throw tools.refuseAgain(refusal)
      if (origin === null && other === null && (source.refusing?.() ?? null) !== null)
        throw refuse(miss(), { of: id })
      if (origin === null && other === null)
        throw divergenceError(startOptions.supporting === true ? miss() : tools.diverge(miss()))
      const code = other?.code ?? description.open(origin ?? WORLD)
      if (written !== null) code.started?.(written.seq, written.atMs)
      const effect = openEffect(start, id, description.keys[0], code, receive)
      open.add(effect)
      byId.set(id, effect)
      if (origin !== null) source.opened?.(effect, origin)
      for (const outcome of other?.outcomes ?? []) tools.deliver(id, outcome)
      return sideOf(effect, origin?.type === 'world' && origin.played === undefined)
    },
    answer(boundary, key, perform, sent, child) {
      const call = { boundary, key, sent, child, keys: () => calls.keys(key, child) }
      const given = source.answer(call, perform) ?? null
      if (given === null) {
        const start = { boundary, key, options: {} }
        const described = { keys: call.keys(), open: notOpened }
        throw refuse(source.missOf(start, described), { refused: call.keys()[0] })
      }
      const divergence =
        ended || isEvaluating()
          ? null
          : calls.encode(given, { key: given.key ?? call.keys()[0] }, sent, child, key)
      if (divergence !== null) throw divergenceError(tools.diverge(divergence))
      return given.answer
    },
    collect: () => new ContentCollector(tools),
    allowsNetwork(url) {
      const allowed = network === undefined || network.allows(url)
      if (!allowed) crossings.denied.add('network')
      return allowed
    },
    ...sessionRemarks({
      recorder,
      scrubber,
      isWritten: (boundary) => !ended && source.isLive(boundary),
      unknown: crossings.unknown,
    }),
  }

  const close = (): void => {
    if (ended) return
    for (const { inSession } of families) inSession.end?.()
    for (const { code } of holding) code.abandon()
    holding.clear()
  }

  return {
    session,
    tools,
    divergences,
    crossings,
    leftovers: () => families.flatMap(({ inSession }) => inSession.leftovers?.() ?? []),
    close,
    end() {
      close()
      ended = true
      markEnded(session)
    },
  }
}

/** What a server sends after the session has ended is not recorded. */
function untilEnded(served: ServedSide, isEnded: () => boolean): ServedSide {
  return {
    answer: (head) => void (isEnded() || served.answer(head)),
    answerBody: (bytes) => void (isEnded() || served.answerBody(bytes)),
    answerEnd: (trailers, isWhole) => void (isEnded() || served.answerEnd(trailers, isWhole)),
    send: (bytes) => void (isEnded() || served.send(bytes)),
    sendEnd: () => void (isEnded() || served.sendEnd()),
  }
}

/** What was refused: an effect, or a call with this key. */
type RefusedWhat = { readonly of?: number; readonly refused?: ScrubbedText }

function notOpened(): never {
  throw new Error('a call is not opened')
}

const RUN = label('run')
const WORLD: Origin = { type: 'world' }
