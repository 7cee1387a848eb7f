import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatLocation, LANES, parseLocation, type ViewerLocation } from '../../src/viewer/protocol.ts'

const item = fc.stringMatching(/^[0-9]{1,3}(\.[0-9]{1,5})?$/)
const at = fc.option(fc.nat())
const name = fc.string({ minLength: 1 }).filter((text) => !text.includes(','))

const location: fc.Arbitrary<ViewerLocation> = fc.oneof(
  fc.constant({ view: 'start' as const }),
  fc.record({ view: fc.constant('overview' as const), item }),
  fc.record({ view: fc.constant('compare' as const), at }),
  fc.record({ view: fc.constantFrom('terminal' as const, 'audit' as const), item, at }),
  fc.record({
    view: fc.constant('state' as const),
    item,
    session: fc.option(name),
    key: fc.option(name),
    version: fc.option(name),
  }),
  fc.record({
    view: fc.constant('timeline' as const),
    item,
    row: at,
    from: at,
    to: at,
    kinds: fc.array(name),
    lanes: fc.subarray([...LANES]),
    phase: fc.constantFrom(null, 'user_script' as const, 'runtime_finalize' as const),
    text: fc.string(),
    inRange: fc.boolean(),
    fromRow: at,
    toRow: at,
  }),
)

test('a location survives being a URL fragment', () => {
  fc.assert(
    fc.property(location, (given) => {
      expect(parseLocation(formatLocation(given))).toEqual(given)
    }),
  )
})

test.each(['', '#', '#/nowhere', '#/timeline%', 'x'])(
  'a fragment that names no view is the start: %j',
  (hash) => {
    expect(parseLocation(hash)).toEqual({ view: 'start' })
  },
)

test('a damaged part of a fragment is left out', () => {
  expect(parseLocation('#/timeline/%E0?row=x&lanes=llm,nonsense&phase=never')).toMatchObject({
    item: '0',
    row: null,
    lanes: ['llm'],
    phase: null,
  })
})
