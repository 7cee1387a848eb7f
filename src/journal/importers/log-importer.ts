/**
 * What every importer does: records of a foreign log go in, session events come out, and a map lists what
 * became of each type of record. Nothing is dropped silently: a record that no session event can express is
 * counted under its type, with the reason.
 */
import type { UnknownObject } from '../../base/index.ts'
import type { KnownEvent } from '../events/kinds.ts'

/** An event that an importer made. `at` is the record's own time, kept as an extra field. */
export type ImportedEvent = KnownEvent & { readonly at?: string; readonly usage?: Usage }

/** What a provider reported for one model call; an extra field of `llm_completed`. */
export type Usage = {
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens?: number
  readonly cache_write_tokens?: number
  readonly cost_usd?: number
}

export type LogImporter = {
  push(record: UnknownObject): readonly ImportedEvent[]
  end(): readonly ImportedEvent[]
  map(): ImportMap
}

export type ImportMap = {
  readonly records: number
  readonly events: number
  /** The same record a second time: left out. */
  readonly duplicates: number
  readonly kept: readonly { readonly type: string; readonly as: readonly string[]; readonly count: number }[]
  readonly unmapped: readonly { readonly type: string; readonly reason: string; readonly count: number }[]
}

export type MapBuilder = {
  /** `as` are the kinds of event that the record becomes, or becomes part of. */
  kept(type: string, as: readonly string[]): void
  unmapped(type: string, reason: string): void
  duplicate(): void
  /** Counts the events and returns them. */
  emit(events: readonly ImportedEvent[]): readonly ImportedEvent[]
  readonly emitted: number
  map(): ImportMap
}

export function createMapBuilder(): MapBuilder {
  let records = 0
  let emitted = 0
  let duplicates = 0
  const kept = new Map<string, { as: Set<string>; count: number }>()
  const unmapped = new Map<string, { type: string; reason: string; count: number }>()
  return {
    kept(type, as) {
      records += 1
      const row = kept.get(type) ?? { as: new Set(), count: 0 }
      row.count += 1
      for (const kind of as) row.as.add(kind)
      kept.set(type, row)
    },
    unmapped(type, reason) {
      records += 1
      const row = unmapped.get(`${type}\n${reason}`) ?? { type, reason, count: 0 }
      row.count += 1
      unmapped.set(`${type}\n${reason}`, row)
    },
    duplicate() {
      records += 1
      duplicates += 1
    },
    emit(events) {
      emitted += events.length
      return events
    },
    get emitted() {
      return emitted
    },
    map: () => ({
      records,
      events: emitted,
      duplicates,
      kept: [...kept].map(([type, row]) => ({ type, as: [...row.as], count: row.count })),
      unmapped: [...unmapped.values()].map((row) => ({ ...row })),
    }),
  }
}
