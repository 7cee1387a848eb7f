/**
 * What is wrong with an event, as data: where (a JSON path) and why. The sentence is made here and nowhere
 * else.
 */
import { printable } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'

export type EventProblem = { readonly path: string; readonly reason: string }

export function eventInvalid(kind: string | null, problems: readonly EventProblem[]): RepriseError {
  const first = problems[0]
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new RepriseError(
    'event-invalid',
    `not a session event${kind === null ? '' : ` (${printable(kind, 80)})`}: ${first?.path ?? '$'} ${first?.reason ?? 'is invalid'}${more}`,
    { details: { kind, problems }, hint: 'docs/format/journal.md lists the fields of every kind' },
  )
}

/** How a wrong value is named in a reason: its type, and its text if that is short. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'string')
    return value.length > 40 ? `a string of ${value.length} characters` : JSON.stringify(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return String(value)
}

/** Adds the problem and returns the value as it came. */
export function wrong(value: unknown, expected: string, path: string, problems: EventProblem[]): unknown {
  problems.push({
    path,
    reason: value === undefined ? 'is missing' : `expected ${expected}, got ${shown(value)}`,
  })
  return value
}
