/**
 * The source of fork and what-if, with a tape and a world that only remember what they were asked. It has the
 * parts that the design calls `until` (everything from the tape up to a record, then the world) and `edited`
 * (what the tape delivers was changed): decision 0351.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  chunk,
  deliveredBy,
  described,
  effectOf,
  fakeSource,
  startOf,
} from '../../../test/support/fake-sources.ts'
import { label } from '../../base/index.ts'
import type { Outcome } from '../../boundaries/session.ts'
import type { Origin } from '../session/family.ts'
import type { OpenEffect } from '../session/source.ts'
import type { LiveName } from './live-set.ts'
import type { TapeSource } from './tape-source-contract.ts'
import { type Travel, type TravelPlan, travel } from './travel.ts'
import { createTravelClock } from './travel-clock.ts'
import type { Stage } from './travel-state.ts'
import type { WorldSource } from './world-source.ts'

const KNOWN = new Set(['known', 'setTimeout 100', 'setTimeout 300', 'setInterval 20'])
const place = (seq: number) =>
  ({ seq, phase: 'user_script', virtualTimeMs: 0, monotonicMs: 0, scrubbed: 0 }) as const
const call = (boundary: string, key: string) => ({
  boundary: label(boundary),
  key,
  keys: () => described(key).keys,
  sent: undefined,
  child: undefined,
})

const build = (plan: Partial<TravelPlan>, live: readonly LiveName[] = ['network']) => {
  const asked: string[] = []
  const state: { stage: Stage; readonly takenOver: Set<OpenEffect> } = { stage: 'tape', takenOver: new Set() }
  const served = { wall: 1_000_000, monotonic: 0 }
  const known = fakeSource('tape', { type: 'tape', effect: 7 }, (key) => KNOWN.has(key), asked)
  let resolveArrived: (outcome: Outcome) => void = () => undefined
  const arrived = new Promise<Outcome>((resolve) => {
    resolveArrived = resolve
  })
  const events = {
    nextSeq: null as number | null,
    nextEffect: null as OpenEffect | null,
    live: 0,
    nearest: 0,
  }
  const tape: TapeSource & typeof known = {
    ...known,
    tryAnswer: ({ key }) => (KNOWN.has(key) ? { answer: { type: 'file_delete', path: 'tape' } } : null),
    has: ({ key }) => KNOWN.has(key),
    nextEffect: () => events.nextEffect,
    state: () => {
      throw new Error('not asked here')
    },
    passed: () => undefined,
    idleMs: () => 0,
    isAtEnd: () => false,
    failStuckWaits: () => ({ [Symbol.dispose]: () => undefined }),
  }
  const outer = fakeSource('world', { type: 'world' }, () => true, asked)
  const world: WorldSource & typeof outer = {
    ...outer,
    isBusy: () => false,
    arrive(effect, outcome) {
      outer.arrive(effect, outcome)
      resolveArrived(outcome)
    },
  }
  const clock = createTravelClock(
    state,
    { now: () => served.wall, monotonicMs: () => served.monotonic },
    () => undefined,
  )
  const { source, reached }: Travel = travel(tape, world, {
    plan: {
      at: null,
      misses: 'refuse',
      live: new Set(live),
      edited: new Set(),
      delaysMs: new Map(),
      ...plan,
    },
    state,
    clock,
    path: 'no.tape',
    payloads: () => new Uint8Array(),
    nextSeq: () => events.nextSeq,
    facts: { isKnown: (_api, name) => name === 'HOME', resolved: (_api, _name, value) => value },
    isServer: () => false,
    wake: () => undefined,
    onLive: () => {
      events.live += 1
    },
    usedNearest: () => {
      events.nearest += 1
    },
  })
  const open = (id: number, boundary: string, key: string): { effect: OpenEffect; origin: Origin | null } => {
    const start = startOf(boundary, key)
    const origin = source.start(start, described(key))
    const effect = effectOf(id, start)
    if (origin !== null) source.opened?.(effect, origin)
    return { effect, origin }
  }
  const wallMs = (): number => {
    const { value } = source.readClock({ api: label('Date.now'), source: 'wall' }, () => ({
      unit: 'ms',
      value: 5,
    }))
    return Number(value.value)
  }
  return { asked, state, tape, world, source, reached, open, clock, events, served, arrived, wallMs }
}

const text = (source: { next(): ReturnType<TapeSource['next']> }): string[] =>
  deliveredBy(source as TapeSource).map(({ outcome }) =>
    outcome.type === 'chunk' ? String(outcome.bytes) : outcome.type,
  )

describe('until a record', () => {
  let run = build({ at: 40 })
  beforeEach(() => {
    run = build({ at: 40 })
  })

  test('everything before it comes from the tape, and a miss is a divergence', () => {
    run.reached(place(39))
    expect(run.state.stage).toBe('tape')
    expect(run.open(1, 'network', 'known').origin).toEqual({ type: 'tape', effect: 7 })
    expect(run.open(2, 'network', 'other').origin).toBeNull()
    expect(run.source.refusing?.()).toBeNull()
    expect(run.source.isLive(label('network'))).toBe(false)
    expect(run.wallMs()).toBe('tape'.length)
    expect(run.source.missOf(startOf('network', 'other'), described('other')).message).toBe(
      'tape has no other',
    )
  })

  test.each([40, 41])('record %i makes it live, once', (seq) => {
    run.reached(place(seq))
    run.reached(place(seq + 1))
    expect([run.state.stage, run.events.live]).toEqual(['live', 1])
  })

  test('after it only live boundaries start something, even if the tape has it', () => {
    run.reached(place(40))
    expect(run.open(1, 'network', 'known').origin).toEqual({ type: 'world' })
    expect(run.open(2, 'process', 'known').origin).toBeNull()
    expect(run.source.refusing?.()).toBe('refuse')
    expect(run.source.isLive(label('network'))).toBe(true)
    expect(run.source.isLive(label('process'))).toBe(false)
    expect(run.source.missOf(startOf('process', 'known'), described('known')).message).toContain('40')
  })

  test('calls are answered by the tape before it, by the world after it, or refused', () => {
    const perform = () => ({ type: 'file_delete', path: 'performed' }) as const
    expect(run.source.answer(call('network', 'known'), perform)?.answer).toMatchObject({ path: 'tape known' })
    run.reached(place(40))
    expect(run.source.answer(call('network', 'known'), perform)?.answer).toMatchObject({
      path: 'world known',
    })
    expect(run.source.answer(call('process', 'known'), perform)).toBeNull()
  })

  test('an effect that is open then is completed by the tape, before what the world has', () => {
    const { effect } = run.open(1, 'network', 'known')
    run.reached(place(40))
    const live = run.open(2, 'network', 'other').effect
    run.world.ready.push({ effect: live, delivery: chunk('world', 50) })
    run.tape.ready.push({ effect, delivery: chunk('tape', 41) })
    expect([...text(run.source), ...text(run.source), ...text(run.source)]).toEqual(['tape', 'world'])
    run.source.closed(effect)
    expect(run.asked).toContain('tape closed 1')
  })

  test('what the world has is not delivered while the run is on its tape', () => {
    run.world.ready.push({ effect: effectOf(9, startOf('network', 'other')), delivery: chunk('world', 1) })
    expect(text(run.source)).toEqual([])
    const { effect } = run.open(1, 'network', 'known')
    run.source.arrive(effect, { type: 'completion' })
    expect(run.asked).toContain('tape arrive 1')
    expect(run.asked).not.toContain('world arrive 1')
  })

  test('reads come from the world after it; a recorded fact stays', () => {
    const fact = (name: string): string | null =>
      run.source.readFact({ api: label('process.env'), name }, () => null).value
    run.reached(place(40))
    expect(run.wallMs()).toBe('world'.length)
    expect([fact('HOME'), fact('OTHER')]).toEqual(['tape', 'world'])
    const random = run.source.readRandom({ api: label('Math.random'), size: 1 }, () => new Uint8Array(1))
    expect(random.value[0]).toBe('world'.length)
  })

  test('a timer of the tape goes on in real time, and the tape no longer fires it', async () => {
    const { effect } = run.open(1, 'clock', 'setTimeout 100')
    run.served.monotonic = 99
    run.reached(place(40))
    expect(run.state.takenOver.has(effect)).toBe(true)
    expect(await run.arrived).toEqual({ type: 'timer' })
    run.source.closed(effect)
    expect(run.state.takenOver.has(effect)).toBe(false)
  })
})

describe('edited', () => {
  test('a run is on its tape until an edited record is delivered', () => {
    const run = build({ edited: new Set([12]) })
    run.reached(place(11))
    expect(run.state.stage).toBe('tape')
    run.reached(place(12))
    expect(run.state.stage).toBe('edited')
    expect(run.open(1, 'network', 'known').origin).toEqual({ type: 'tape', effect: 7 })
  })

  test.each([
    ['refuse', null, 'ends', 'edited'],
    ['nearest', null, 'refuse', 'edited'],
    ['live', { type: 'world' }, 'refuse', 'live'],
  ] as const)('what the tape does not have, misses: %s', (misses, origin, refusing, stage) => {
    const run = build({ edited: new Set([12]), misses })
    run.reached(place(12))
    expect(run.open(1, 'network', 'other').origin).toEqual(origin)
    expect(run.source.refusing?.()).toBe(refusing)
    expect(run.state.stage).toBe(stage)
  })

  test('before the edit the same miss is not made live', () => {
    const run = build({ edited: new Set([12]), misses: 'live' })
    expect(run.open(1, 'network', 'other').origin).toBeNull()
    expect(run.events.live).toBe(0)
  })

  test('a call is answered by the tape, then as misses are', () => {
    const perform = () => ({ type: 'file_delete', path: 'performed' }) as const
    const refused = build({ edited: new Set([12]) })
    refused.reached(place(12))
    expect(refused.source.answer(call('network', 'known'), perform)?.answer).toMatchObject({ path: 'tape' })
    expect(refused.source.answer(call('network', 'other'), perform)).toBeNull()
    const live = build({ edited: new Set([12]), misses: 'live' })
    live.reached(place(12))
    expect(live.source.answer(call('network', 'other'), perform)?.answer).toMatchObject({
      path: 'world other',
    })
    expect(live.state.stage).toBe('live')
  })

  test('time and randomness of its own go on after the edit', () => {
    const run = build({ edited: new Set([12]) })
    run.reached(place(12))
    expect(run.open(1, 'clock', 'setTimeout 7').origin).toEqual({ type: 'world' })
    expect(run.open(2, 'random', 'other').origin).toEqual({ type: 'world' })
  })

  test('a timer that is not on the tape fires when nothing else can happen, in no real time', () => {
    const run = build({ edited: new Set([12]) })
    run.reached(place(12))
    const fired: string[] = []
    run.clock.driver.arm(60_000, true, () => fired.push(`at ${run.clock.nowMs()}`))
    run.events.nextEffect = effectOf(3, startOf('network', 'known'))
    expect(run.source.next()).toBe('idle')
    run.events.nextEffect = null
    expect(run.source.next()).toBe('more')
    expect(fired).toEqual(['at 60000'])
  })
})

describe('a delayed record', () => {
  test('timers of the tape that are due before it fire first, in order', () => {
    const run = build({ delaysMs: new Map([[20, 200]]) })
    const later = run.open(1, 'clock', 'setTimeout 300').effect
    const first = run.open(2, 'clock', 'setTimeout 100').effect
    const answer = run.open(3, 'network', 'known').effect
    run.events.nextSeq = 20
    run.tape.ready.push({ effect: answer, delivery: chunk('answer', 20) })
    const turn = run.source.next()
    expect(typeof turn === 'string' ? turn : turn.effect).toBe(first)
    expect(run.clock.nowMs()).toBe(100)
    expect(text(run.source)).toEqual(['answer'])
    expect(run.clock.nowMs()).toBe(200)
    expect(later.closed).toBe(false)
    expect(run.state.stage).toBe('edited')
  })

  test('the clock that the program reads is later by as much', () => {
    const run = build({ delaysMs: new Map([[20, 200]]) })
    run.events.nextSeq = 20
    run.source.next()
    expect(run.wallMs()).toBe('tape'.length + 200)
    const ns = run.source.readClock({ api: label('process.hrtime.bigint'), source: 'monotonic' }, () => ({
      unit: 'ms',
      value: 0,
    }))
    expect(ns.value).toEqual({ unit: 'ms', value: 'tape'.length + 200 })
  })

  test('an interval fires as often as it is due', () => {
    const run = build({ delaysMs: new Map([[20, 50]]) })
    const { effect } = run.open(1, 'clock', 'setInterval 20')
    run.events.nextSeq = 20
    const turns = [run.source.next(), run.source.next()].map(
      (turn) => typeof turn !== 'string' && turn.effect === effect,
    )
    expect(turns).toEqual([true, true])
    expect(run.source.next()).toBe('idle')
  })

  test('a record that is not delayed changes nothing', () => {
    const run = build({ delaysMs: new Map([[20, 200]]) })
    run.events.nextSeq = 19
    run.source.next()
    expect([run.state.stage, run.clock.shiftMs]).toEqual(['tape', 0])
  })
})
