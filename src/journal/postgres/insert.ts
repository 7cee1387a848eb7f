/** One batch of events into the tables, in one statement and so in one transaction. Gives the seq of every event, new or known by its id. */
import type { ScrubbedText } from '../../scrub/index.ts'
import type { Queryable } from './client.ts'

export type NewEvent = { readonly id: string | null; readonly kind: string; readonly text: ScrubbedText }

export async function insertBatch(client: Queryable, session: string, events: readonly NewEvent[]): Promise<readonly number[]> {
  const { rows } = await client.query('SELECT reprise_journal_append($1, $2, $3, $4)::text AS seqs', [
    session,
    events.map((event) => event.id),
    events.map((event) => event.kind),
    events.map((event) => event.text),
  ])
  return String(rows[0]?.seqs ?? '{}')
    .slice(1, -1)
    .split(',')
    .map(Number)
}
