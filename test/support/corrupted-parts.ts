/** Parts of a replay that deliver something else than the tape has. */
import type { Answer } from '../../src/boundaries/session.ts'
import type { TapeRecord } from '../../src/tape/index.ts'
import type { ReplayParts } from '../../src/testbench/compose/replay-contract.ts'
import type { Delivery } from '../../src/testbench/session/delivery.ts'
import type { EffectFamily } from '../../src/testbench/session/family.ts'
import type { TapeSource } from '../../src/testbench/sources/tape-source-contract.ts'

/** Gives other deliveries for the deliveries of one record. */
export type Corruption = (deliveries: readonly Delivery[], record: TapeRecord) => readonly Delivery[]

/** Changes what the family of this name decodes from the records for which `wanted` is true. */
export function corruptFamily(
  name: string,
  wanted: (record: TapeRecord) => boolean,
  corrupt: Corruption,
): (parts: ReplayParts) => ReplayParts {
  const wrap = (family: EffectFamily): EffectFamily => ({
    ...family,
    create(tools, calls) {
      const inner = family.create(tools, calls)
      return {
        ...inner,
        describe(id, start) {
          const description = inner.describe(id, start)
          return {
            ...description,
            open(origin) {
              const code = description.open(origin)
              const decode = code.decode?.bind(code)
              if (decode === undefined) return code
              const corrupted = (record: TapeRecord): readonly Delivery[] => {
                const deliveries = decode(record)
                return wanted(record) ? corrupt(deliveries, record) : deliveries
              }
              return Object.defineProperty(code, 'decode', { value: corrupted })
            },
          }
        },
      }
    },
  })
  return (parts) => ({
    ...parts,
    families: parts.families.map((family) => (family.name === name ? wrap(family) : family)),
  })
}

export function corruptCalls(
  wanted: (record: TapeRecord) => boolean,
  corrupt: (answer: Answer) => Answer,
): (parts: ReplayParts) => ReplayParts {
  return (parts) => ({
    ...parts,
    calls(tools) {
      const inner = parts.calls(tools)
      const decode: typeof inner.decode = (record) => {
        const given = inner.decode(record)
        return wanted(record) ? { ...given, answer: corrupt(given.answer) } : given
      }
      return { ...inner, decode }
    },
  })
}

export function corruptReads(
  corrupt: (tape: TapeSource) => Partial<TapeSource>,
): (parts: ReplayParts) => ReplayParts {
  return (parts) => ({ ...parts, source: (tape) => ({ ...tape, ...corrupt(tape) }) })
}
