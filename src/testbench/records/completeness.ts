/**
 * The seal's entry for each boundary at the end of a run: everything that crossed is on the tape
 * (`captured`), nothing was captured (`passed_through`), some of it was refused (`denied`), or something
 * crossed that is not on the tape (`unknown`). A run with an unknown is never called faithful.
 */
import type { Json } from '../../base/index.ts'
import type { Completeness } from '../../tape/index.ts'

export type CompletenessTable = { readonly [boundary: string]: Completeness }

/** What a session observed besides its records. */
export type Crossings = { readonly unknown: ReadonlySet<string>; readonly denied: ReadonlySet<string> }

export function completenessOf(
  installed: CompletenessTable,
  { unknown, denied }: Crossings,
): CompletenessTable {
  const table: { [boundary: string]: Completeness } = { ...installed }
  for (const boundary of denied) table[boundary] = 'denied'
  for (const boundary of unknown) table[boundary] = 'unknown'
  // Transports of MCP: an unrecorded crossing there may have been a message.
  if (table.mcp === 'captured' && CARRIERS.some((carrier) => table[carrier] === 'unknown'))
    table.mcp = 'unknown'
  if (table.mcp === 'captured' && CARRIERS.every((carrier) => table[carrier] === 'passed_through'))
    table.mcp = 'passed_through'
  return table
}

const CARRIERS = ['network', 'process']

/** The boundaries that a seal lists as unknown. */
export function unknownBoundaries(sealed: Json): string[] {
  if (typeof sealed !== 'object' || sealed === null || Array.isArray(sealed)) return []
  return Object.entries(sealed).flatMap(([boundary, state]) => (state === 'unknown' ? [boundary] : []))
}
