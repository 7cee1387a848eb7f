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
import type { Effect, EffectOptions, Outcome, Session } from '../../boundaries/session.ts'
import { type Divergence, divergenceError, divergenceOf } from '../../fidelity/divergence.ts'
import type { ScrubbedText } from '../../scrub/index.ts'
import { bodyStore, LargeBody } from '../records/large-body.ts'
import { ContentCollector } from '../records/large-content.ts'
import { derivedSecrets } from './derived-secrets.ts'
import type { EffectStart, Origin, SessionFamily, Tools } from './family.ts'
import { ofOlderTape } from './older-tapes.ts'
import { notOpened, openEffect, untilEnded, writeStart } from './open-effect.ts'
import { sessionReads } from './reads.ts'
import { receivedFromBoth, receivedFromTape, receivedFromWorld } from './received.ts'
import { repeatRefusal, sessionRemarks, writeDivergence } from './remarks.ts'
import type { OpenSession, SessionOptions } from './session-options.ts'
import type { OpenEffect, Turn } from './source.ts'
import { refusedInDebugger } from './watch.ts'

const MAX_KEPT = 1000

export function createSession(options: SessionOptions): OpenSession {
  const { recorder, scrubber, network, watch, travel } = options
  const open = new Set<OpenEffect>()
  const byId = new Map<number, OpenEffect>()
  const holding = new Set<OpenEffect>()
  const divergences: Divergence[] = []
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
    derived: () => derived,
    out: options.out ?? null,
    tape: options.tape ?? null,
    received: (origin) => (origin.type === 'world' ? world : tapedOrLive),
    mayDiffer: () => travel?.mayDiffer() === true,
    mayLeave: travel !== undefined,
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
  const refuse = (divergence: Divergence, what: RefusedWhat): Error => {
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
    const { resource, cause, receive } = effect
    return { resource, cause, receive, next, after: () => source.afterTurn?.() }
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
    const { child, sender, served, frames } = code
    /** The program may end before anything else is delivered: what is held back now is written then. */
    const sent = (error: Error | null): Error | null => {
      noteHeld(effect)
      return error
    }
    return {
      id: effect.id,
      isLive,
      arrive: (outcome) => source.arrive(effect, outcome),
      dropWaiting: () => source.dropWaiting?.(effect),
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
              send(stream, bytes) {
                if (travel?.isLive() === true) gate.wake()
                return ended ? null : child.send(stream, bytes)
              },
              sendEnd(stream) {
                if (travel?.isLive() === true) gate.wake()
                if (!ended) child.sendEnd(stream)
              },
            },
          }),
      ...(sender === undefined
        ? {}
        : {
            sender: {
              send: (bytes, isLogin) => (ended ? null : sent(sender.send(bytes, isLogin))),
              sendMessage: (message) => (ended ? null : sent(sender.sendMessage(message))),
              sendEnd: () => void (ended || sender.sendEnd()),
            },
          }),
      ...(frames === undefined
        ? {}
        : { frames: { send: (frame) => (ended ? null : sent(frames.send(frame))) } }),
      ...(served === undefined ? {} : { served: untilEnded(served, gate, () => ended) }),
    }
  }

  const reads = sessionReads(source, tools, () => ended || isEvaluating())
  const derived = derivedSecrets(reads.readRandom, scrubber)
  const session: Session = {
    isLive: (boundary) => source.isLive(boundary),
    startsLive(key, child) {
      const start: EffectStart = { boundary: PROCESS, key, options: { child } }
      if (source.startsLive === undefined) return source.isLive(PROCESS)
      return source.startsLive(start, familyOf(start.options).describe(nextId, start))
    },
    ...(watch === undefined
      ? {}
      : { refusal: (what: string) => (isEvaluating() ? refusedInDebugger(what) : null) }),
    fields: new Map(),
    ...(options.mayServe === true ? { mayServe: true } : {}),
    ...ofOlderTape(options),
    ...reads,
    derived,
    start(boundary, key, receive, startOptions = {}) {
      if (isEvaluating()) throw refusedInDebugger(key)
      const id = nextId
      nextId += 1
      const start: EffectStart = { boundary, key, options: startOptions }
      const family = familyOf(startOptions)
      const before = scrubber.hits
      const description = family.describe(id, start)
      const origin = source.start(start, description)
      const miss = (): Divergence => source.missOf(start, description)
      const refusal = origin?.type === 'tape' ? (options.tape?.index.refusal(origin.effect) ?? null) : null
      const other = origin === null ? (description.unmatched?.(miss) ?? null) : null
      const isWritten = !ended && other?.isForeign !== true
      const written = isWritten ? writeStart(tools, start, id, description, origin ?? WORLD, before) : null
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
      return given.given ?? given.answer
    },
    collect: (isAppended) => new ContentCollector(tools, isAppended),
    collectBody: (headers) => new LargeBody(headers, bodyStore(tools)),
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
    recorder.settle()
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

/** What was refused: an effect, or a call with this key. */
type RefusedWhat = { readonly of?: number; readonly refused?: ScrubbedText }

const PROCESS = label('process')
const RUN = label('run')
const WORLD: Origin = { type: 'world' }
