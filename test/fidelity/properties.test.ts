import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { label } from '../../src/base/index.ts'
import { compare, type FidelityMode, type FidelityReport, fidelityModes } from '../../src/fidelity/index.ts'
import { alignments } from '../../src/fidelity/modes.ts'
import type { RecordKind } from '../../src/tape/kinds.ts'
import type { TapeRecord } from '../../src/tape/record.ts'
import { arbitraryRecord, arbitraryTape, kindsOf, numbered, sleep } from './records.ts'

const RUNS = 100
const pairwise = ['byte_identical', 'semantic'] as const

type Edit = { readonly edited: TapeRecord[]; readonly what: string }

/** One record put in, left out or changed so that the mode sees a difference. */
const arbitraryEdit = (mode: (typeof pairwise)[number]): fc.Arbitrary<{ tape: TapeRecord[] } & Edit> =>
  fc
    .tuple(arbitraryTape, arbitraryRecord, fc.nat(), fc.constantFrom('insert', 'delete', 'change'))
    .filter(([tape, , , what]) => tape.length > 0 || what === 'insert')
    .map(([tape, fresh, place, what]) => {
      const at = place % (tape.length + (what === 'insert' ? 1 : 0) || 1)
      const edited = tape.slice()
      if (what === 'insert') edited.splice(at, 0, fresh)
      else if (what === 'delete') edited.splice(at, 1)
      else edited.splice(at, 1, fresh)
      return { tape, edited: numbered(edited), what }
    })
    .filter(
      ({ tape, edited, what }) =>
        what !== 'change' || compare(tape, edited, mode, { align: 'position' }).findingCount === 1,
    )

describe('compare', () => {
  test.each(fidelityModes.flatMap((mode) => alignments.map((align) => [mode, align] as const)))(
    'a tape equals itself: %s, %s',
    (mode, align) => {
      fc.assert(
        fc.property(arbitraryTape, (tape) => {
          const report = compare(tape, tape, mode, { align })
          expect(report.divergences).toEqual([])
          expect(report.score).toBe(1)
        }),
        { numRuns: 100 },
      )
    },
  )

  test.each(pairwise)('one record put in, left out or changed is exactly one finding: %s', (mode) => {
    fc.assert(
      fc.property(arbitraryEdit(mode), ({ tape, edited }) => {
        expect(compare(tape, edited, mode).findingCount).toBe(1)
      }),
      { numRuns: RUNS },
    )
  })

  test.each(fidelityModes.flatMap((mode) => alignments.map((align) => [mode, align] as const)))(
    'the order of the arguments mirrors the result, the score stays between 0 and 1: %s, %s',
    (mode, align) => {
      fc.assert(
        fc.property(arbitraryTape, arbitraryTape, (a, b) => {
          const [there, back] = [compare(a, b, mode, { align }), compare(b, a, mode, { align })]
          expect(mirrored(back)).toEqual(outline(there))
          expect(there.score).toBeGreaterThanOrEqual(0)
          expect(there.score).toBeLessThanOrEqual(1)
          expect(back.score).toBe(there.score)
        }),
        { numRuns: RUNS },
      )
    },
  )

  /**
   * Few kinds, many numbers, equal times: where two records look the same and are not, by the effects that
   * they belong to.
   */
  const crowded = fc
    .array(
      fc.tuple(
        fc.constantFrom<RecordKind>(
          ...[1, 2, 3, 4].map((id) => ({ kind: 'timer_fire', id }) as const),
          sleep(1),
        ),
        fc.constantFrom(1, 1, 2, 3),
      ),
      {
        maxLength: 14,
      },
    )
    .map((runs) => kindsOf(...runs.flatMap(([kind, times]) => new Array<RecordKind>(times).fill(kind))))

  test.each(['byte_identical', 'semantic', 'phase_aware'] as const)(
    'also where numbers repeat: %s',
    (mode) => {
      const timers = (...ids: readonly number[]): TapeRecord[] =>
        kindsOf(...ids.map((id): RecordKind => (id === 0 ? sleep(1) : { kind: 'timer_fire', id })))
      fc.assert(
        fc.property(crowded, crowded, (a, b) => {
          expect(mirrored(compare(b, a, mode))).toEqual(outline(compare(a, b, mode)))
        }),
        // A shift of the numbers that was not the same in both directions: 1 and 2 of one run were both the
        // other's 1.
        {
          numRuns: 1000,
          examples: [
            [timers(2, 2, 2, 1), timers(1, 1, 0, 1)],
            [timers(2, 2, 2, 1, 0), timers(1, 1, 1, 0, 1, 4)],
          ],
        },
      )
    },
  )

  test('placing every record once: pairs, missing and extra add up, whatever the tapes', () => {
    fc.assert(
      fc.property(
        arbitraryTape,
        arbitraryTape,
        fc.constantFrom<FidelityMode>('byte_identical', 'semantic'),
        (a, b, mode) => {
          const { categories } = compare(a, b, mode)
          expect(a.length - (categories.missing_in_replay ?? 0)).toBe(
            b.length - (categories.missing_in_recorded ?? 0),
          )
        },
      ),
      { numRuns: RUNS },
    )
  })
})

describe('numbers that only number', () => {
  /** Calls as a recorder writes them: each effect has the next id, its chunks refer to it. */
  const arbitraryCalls = fc.array(
    fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.array(fc.constantFrom('x', 'y'), { maxLength: 3 })),
    {
      minLength: 1,
      maxLength: 30,
    },
  )

  const taped = (calls: readonly (readonly [string, readonly string[]])[]): TapeRecord[] =>
    kindsOf(
      ...calls.flatMap(([key, chunks], at): RecordKind[] => [
        { kind: 'effect_start', id: at + 1, boundary: label('network'), key },
        ...chunks.map(
          (text, n): RecordKind => ({
            kind: 'stream_chunk',
            of: at + 1,
            n,
            direction: 'in',
            data: { form: 'text', text },
          }),
        ),
      ]),
    )

  test.each(pairwise)('one effect more shifts every later number and is one finding: %s', (mode) => {
    fc.assert(
      fc.property(arbitraryCalls, fc.nat(), (calls, place) => {
        const longer: (readonly [string, readonly string[]])[] = [...calls]
        longer.splice(place % (calls.length + 1), 0, ['new', []])
        expect(
          compare(taped(calls), taped(longer), mode).findings.map(({ divergences }) =>
            divergences.map(({ code }) => code),
          ),
        ).toEqual([['extra']])
        expect(compare(taped(longer), taped(calls), mode).findingCount).toBe(1)
      }),
      { numRuns: RUNS },
    )
  })

  test('a chunk that moved to another effect is a finding, whatever the numbers', () => {
    const calls = [
      ['a', ['x']],
      ['a', ['x', 'x']],
    ] as const
    const [recorded, replayed] = [taped(calls), taped([['new', []], ...calls])]
    const moved = replayed.map((each) =>
      each.seq === 5 ? { ...each, kind: { ...each.kind, of: 2 } as RecordKind } : each,
    )
    expect(compare(recorded, moved, 'semantic').categories).toEqual({
      missing_in_recorded: 1,
      stream_chunk_of: 1,
    })
  })
})

/**
 * What of a report must come out the other way round, in an order that does not depend on which side came
 * first.
 */
function outline({ findings }: FidelityReport): string[] {
  return findings
    .map(({ recorded, replayed, divergences }) =>
      describeFinding(
        recorded?.seq,
        replayed?.seq,
        divergences.map((each) => [each.category, each.expected, each.actual]),
      ),
    )
    .sort()
}

function mirrored({ findings }: FidelityReport): string[] {
  return findings
    .map(({ recorded, replayed, divergences }) =>
      describeFinding(
        replayed?.seq,
        recorded?.seq,
        divergences.map((each) => [swap(each.category), each.actual, each.expected]),
      ),
    )
    .sort()
}

function describeFinding(
  left: number | undefined,
  right: number | undefined,
  divergences: readonly unknown[],
): string {
  return JSON.stringify([left ?? null, right ?? null, divergences])
}

function swap(category: string): string {
  if (category === 'missing_in_replay') return 'missing_in_recorded'
  return category === 'missing_in_recorded' ? 'missing_in_replay' : category
}
