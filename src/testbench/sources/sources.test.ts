/**
 * The building block of update, with sources that only remember what they were asked.
 */
import { describe, expect, test } from 'vitest'
import {
  chunk,
  deliveredBy,
  described,
  effectOf,
  fakeSource,
  startOf,
} from '../../../test/support/fake-sources.ts'
import { firstOf } from './first-of.ts'

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
