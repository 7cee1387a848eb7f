/**
 * Arbitrary session events: of every kind that the fold looks at, of others, and of kinds that nobody knows,
 * also with fields of the wrong type.
 */
import fc, { type Arbitrary } from 'fast-check'
import { type EventKind, eventKinds } from '../../src/journal/events/kinds.ts'
import type { SessionEvent } from '../../src/journal/index.ts'

const scalar = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.nat(5),
  fc.constant(null),
  fc.boolean(),
  fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
)

const ofKind = (kind: EventKind): Arbitrary<SessionEvent> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(eventKinds[kind]).map(([name, { type }]) => [
          name,
          type === 'string'
            ? fc.oneof(fc.constantFrom('a', 'b', ''), scalar)
            : type === 'u32'
              ? fc.oneof(fc.nat(9), scalar)
              : scalar,
        ]),
      ),
      { requiredKeys: [] },
    )
    .map((fields) => ({ ...fields, kind }))

export const anyEvent: Arbitrary<SessionEvent> = fc.oneof(
  ...(Object.keys(eventKinds) as EventKind[]).map(ofKind),
  fc.record({ kind: fc.string({ maxLength: 5 }), turn: scalar }),
)
