/** Sources that only remember what they were asked, for tests of what is built of sources. */
import { AsyncResource } from 'node:async_hooks'
import { label } from '../../src/base/index.ts'
import { createScrubber } from '../../src/scrub/index.ts'
import type { Delivery } from '../../src/testbench/session/delivery.ts'
import type { Description, EffectStart, Origin } from '../../src/testbench/session/family.ts'
import type { OpenEffect, Source } from '../../src/testbench/session/source.ts'

const scrubber = createScrubber()
export const startOf = (boundary: string, key: string): EffectStart => ({
  boundary: label(boundary),
  key,
  options: {},
})
export const described = (key: string): Description => ({
  keys: [scrubber.text(key, 'sent')],
  open: () => ({ encode: () => null, abandon: () => undefined }),
})

export function effectOf(id: number, start: EffectStart): OpenEffect {
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
    cause: null,
    closed: false,
    ref: true,
    work: 'none',
    waitsFor: null,
    hasAnswer: false,
  }
}

/** Serves the keys that it has, and delivers what it is given. */
export function fakeSource(
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
      code: 'replay',
      payload: null,
      message: `${name} has no ${keys[0]}`,
      expected: null,
      actual: keys[0],
      path: null,
    }),
  }
}

const at = (seq: number) =>
  ({ seq, phase: 'user_script', virtualTimeMs: 0, monotonicMs: 0, scrubbed: 0 }) as const
export const chunk = (text: string, seq: number): Delivery => ({
  outcome: { type: 'chunk', bytes: Buffer.from(text) },
  recorded: { at: at(seq) },
})
export const deliveredBy = (source: Source): readonly Delivery[] => {
  const turn = source.next()
  if (typeof turn === 'string') return []
  const found: Delivery[] = []
  for (let delivery = turn.next(); delivery !== null; delivery = turn.next()) found.push(delivery)
  return found
}
