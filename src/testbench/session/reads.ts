/**
 * The reads of a session: the source returns the value, and the record is written before the program gets it.
 */
import type { ClockValue, Session } from '../../boundaries/session.ts'
import type { Scrubbed, ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import type { Kind } from '../../tape/index.ts'
import { clockText } from '../records/clock-text.ts'
import type { Tools } from './family.ts'
import type { Source } from './source.ts'

type Reads = Pick<Session, 'readClock' | 'readRandom' | 'readFact'>

export function sessionReads(source: Source, { recorder, scrubber }: Tools, isEnded: () => boolean): Reads {
  /** What was recorded for the last value of a clock: a tape gives the same one until the clock advances. */
  let last: { readonly value: ClockValue; readonly kind: Scrubbed<Kind<'clock_read'>> } | null = null
  return {
    readClock(api, clock, perform) {
      const { value, recorded } = source.readClock({ api, source: clock }, perform)
      if (isEnded()) return value
      if (value !== last?.value || api !== last.kind.api || clock !== last.kind.source)
        last = { value, kind: { kind: 'clock_read', source: clock, ...clockText(value), api } }
      recorder.record(last.kind, recorded?.at.scrubbed)
      return value
    },
    readRandom(api, perform, size) {
      const before = scrubber.hits
      const { value, recorded } = source.readRandom({ api, size }, perform)
      if (isEnded()) return value
      const bytes = recorded === undefined ? scrubber.bytes(value, 'received') : fromDisk<Uint8Array>(value)
      recorder.record(
        { kind: 'random_read', api, data: recorder.chunkFromBytes(bytes) },
        recorded?.at.scrubbed ?? scrubber.hits - before,
      )
      return value
    },
    readFact(api, name, perform) {
      const { value, recorded, given = value } = source.readFact({ api, name }, perform)
      if (isEnded()) return given
      const before = scrubber.hits
      const known =
        value === null
          ? null
          : recorded === undefined
            ? scrubFact(name, value, scrubber)
            : fromDisk<string>(value)
      recorder.record(
        { kind: 'env_read', name: scrubber.text(name, 'sent'), value: known, api },
        recorded?.at.scrubbed ?? scrubber.hits - before,
      )
      return given
    },
  }
}

/** The whole environment is one JSON object: each value is scrubbed by its own name. */
function scrubFact(name: string, value: string, scrubber: Scrubber): ScrubbedText {
  if (name !== '*') return scrubber.env(name, value)
  const values: Record<string, string> = JSON.parse(value)
  const clean = Object.fromEntries(
    Object.entries(values).map(([key, each]) => [key, scrubber.env(key, each)]),
  )
  return scrubber.text(JSON.stringify(clean), 'received')
}
