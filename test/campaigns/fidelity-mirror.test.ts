/** The same promises as the property tests, over many more tapes. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compare } from '../../src/fidelity/index.ts'
import { arbitraryRecord, arbitraryTape, numbered } from '../fidelity/records.ts'
import { scaled } from '../support/campaign.ts'

describe.each(['byte_identical', 'semantic', 'phase_aware'] as const)('%s', (mode) => {
  test('exchanging the tapes exchanges missing and extra, and keeps the number of findings', () => {
    fc.assert(
      fc.property(arbitraryTape, arbitraryTape, (a, b) => {
        const [there, back] = [compare(a, b, mode), compare(b, a, mode)]
        expect(back.findingCount).toBe(there.findingCount)
        expect(back.score).toBe(there.score)
        const { missing_in_replay: missing = 0, missing_in_recorded: extra = 0, ...rest } = there.categories
        const {
          missing_in_replay: otherMissing = 0,
          missing_in_recorded: otherExtra = 0,
          ...otherRest
        } = back.categories
        expect([otherExtra, otherMissing, otherRest]).toEqual([missing, extra, rest])
      }),
      { numRuns: scaled(6000, 100) },
    )
  })
})

test.each(['byte_identical', 'semantic'] as const)(
  'one record put in or left out is one finding: %s',
  (mode) => {
    fc.assert(
      fc.property(arbitraryTape, arbitraryRecord, fc.nat(), (tape, fresh, place) => {
        const longer = [...tape]
        longer.splice(place % (tape.length + 1), 0, fresh)
        expect(compare(tape, numbered(longer), mode).findingCount).toBe(1)
        expect(compare(numbered(longer), tape, mode).findingCount).toBe(1)
      }),
      { numRuns: scaled(20_000, 300) },
    )
  },
)
