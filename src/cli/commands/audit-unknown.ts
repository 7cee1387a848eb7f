/**
 * Reports values that this version does not know, each once, on stderr. The events that have them are read
 * all the same.
 */
import type { JournalEntry } from '../../journal/events/journal.ts'
import { unknownValues } from '../../journal/events/unknown-values.ts'
import type { CommandInput } from '../command.ts'

type UnknownValueCount = {
  readonly path: string
  readonly value: string
  readonly first_seq: number
  readonly count: number
}

export type UnknownValueNotes = {
  add(entry: JournalEntry): void
  /** Values by path, in the order in which they were found. */
  found(): readonly UnknownValueCount[]
  finish(): void
}

/** More different values than this are counted together. */
const MAX_VALUES = 20

export function unknownValueNotes(output: CommandInput['output'], path: string): UnknownValueNotes {
  const found = new Map<string, UnknownValueCount>()
  let others = 0
  return {
    add({ seq, event }) {
      for (const { path: at, value } of unknownValues(event)) {
        const place = at.replace(/\[\d+\]/g, '[]')
        const key = JSON.stringify([place, value])
        const known = found.get(key)
        if (known === undefined && found.size >= MAX_VALUES) others += 1
        else
          found.set(key, {
            path: place,
            value,
            first_seq: known?.first_seq ?? seq,
            count: (known?.count ?? 0) + 1,
          })
      }
    },
    found: () => [...found.values()],
    finish() {
      for (const { path: place, value, first_seq, count } of found.values()) {
        output.note(
          `${path}: ${place} has an unknown value ${JSON.stringify(value)}, ${count} times, first in seq ${first_seq}`,
        )
      }
      if (others > 0) output.note(`${path}: ${others} more unknown values`)
    },
  }
}
