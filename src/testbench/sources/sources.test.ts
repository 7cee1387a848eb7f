/**
 * The building block of update, with sources that only remember what they were asked.
 */
import { AsyncResource } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { label } from '../../base/index.ts'
import { createScrubber } from '../../scrub/index.ts'
import type { Delivery } from '../session/delivery.ts'
import type { Description, EffectStart, Origin } from '../session/family.ts'
import type { OpenEffect, Source } from '../session/source.ts'
import { firstOf } from './first-of.ts'

const scrubber = createScrubber()
const startOf = (boundary: string, key: string): EffectStart => ({
  boundary: label(boundary),
  key,
  options: {},
})
const described = (key: string): Description => ({
  keys: [scrubber.text(key, 'sent')],
  open: () => ({ encode: () => null, abandon: () => undefined }),
})

function effectOf(id: number, start: EffectStart): OpenEffect {
  const code = described(start.key).open({ type: 'world' })
  const resource = new AsyncResource('test', { requireManualDestroy: true })
  const receive = (): void => undefined
  return {
    id,
    start,
    options: {},
    key: start.key,
    code,
    receive,
    resource,
    closed: false,
    ref: true,
    work: 'none',
    waitsFor: null,
    hasAnswer: false,
  }
}

/** Serves the keys that it has, and delivers what it is given. */
function fakeSource(
  name: string,
  origin: Origin,
  has: (key: string) => boolean,
  asked: string[],
): Source & { readonly ready: { effect: OpenEffect; delivery: Delivery }[] } {
  const ready: { effect: OpenEffect; delivery: Delivery }[] = []
  const note = (what: string): void => void asked.push(`${name} ${what}`)
  return {
    ready,
    isLive: () => origin.type === 'world',
    readClock: () => ({ value: { unit: 'ms', value: name.length } }),
    readRandom: () => ({ value: new Uint8Array([name.length]) }),
    readFact: () => ({ value: name }),
    answer: ({ key }) => ({ answer: { type: 'file_delete', path: `${name} ${key}` } }),
    start: ({ key }) => (has(key) ? { ...origin } : null),
    opened: ({ id }) => note(`opened ${id}`),
    arrive: ({ id }) => note(`arrive ${id}`),
    closed: ({ id }) => note(`closed ${id}`),
    next() {
      const first = ready.shift()
      if (first === undefined) return 'idle'
      let left: Delivery | null = first.delivery
      return {
        effect: first.effect,
        next() {
          const delivery = left
          left = null
          return delivery
        },
      }
    },
    missOf: (_start, { keys }) => ({
      seq: null,
      category: 'unmatched',
      message: `${name} has no ${keys[0]}`,
      expected: null,
      actual: keys[0],
      path: null,
    }),
  }
}

const at = (seq: number) =>
  ({ seq, phase: 'user_script', virtualTimeMs: 0, monotonicMs: 0, scrubbed: 0 }) as const
const chunk = (text: string, seq: number): Delivery => ({
  outcome: { type: 'chunk', bytes: Buffer.from(text) },
  recorded: { at: at(seq) },
})
const deliveredBy = (source: Source): readonly Delivery[] => {
  const turn = source.next()
  if (typeof turn === 'string') return []
  const found: Delivery[] = []
  for (let delivery = turn.next(); delivery !== null; delivery = turn.next()) found.push(delivery)
  return found
}

describe('first-of', () => {
  const asked: string[] = []
  const tape = fakeSource('tape', { type: 'tape', effect: 7 }, (key) => key === 'known', asked)
  const world = fakeSource('world', { type: 'world' }, () => true, asked)
  const both = firstOf(tape, world)
  const [known, other] = [startOf('network', 'known'), startOf('network', 'other')]

  test('an effect is served by one source from start to end', () => {
    for (const [id, start] of [
      [1, known],
      [2, other],
    ] as const) {
      const origin = both.start(start, described(start.key))
      const effect = effectOf(id, start)
      if (origin !== null) both.opened?.(effect, origin)
      both.arrive(effect, { type: 'timer' })
      both.closed(effect)
    }
    expect(asked).toEqual([
      'tape opened 1',
      'tape arrive 1',
      'tape closed 1',
      'world opened 2',
      'world arrive 2',
      'world closed 2',
    ])
  })

  test('what the first has ready is delivered before what the second has', () => {
    world.ready.push({ effect: effectOf(3, other), delivery: chunk('world', 1) })
    tape.ready.push({ effect: effectOf(4, known), delivery: chunk('tape', 2) })
    expect(
      [...deliveredBy(both), ...deliveredBy(both)].map(({ outcome }) =>
        outcome.type === 'chunk' ? String(outcome.bytes) : '',
      ),
    ).toEqual(['tape', 'world'])
  })
})
