/**
 * One batch of events into the tables, in one transaction: take the session's row, leave out the ids that are there already, number the rest,
 * insert, notify. Gives the seq of every event, new or known.
 */
import type { Queryable } from './client.ts'

export type NewEvent = { readonly id: string | null; readonly kind: string; readonly text: string }

/** All sessions share one channel; the message names the session. */
export const CHANNEL = 'reprise_journal'

export async function insertBatch(client: Queryable, session: string, events: readonly NewEvent[]): Promise<readonly number[]> {
  await client.query('BEGIN')
  try {
    await client.query('INSERT INTO reprise_journal_sessions (session) VALUES ($1) ON CONFLICT (session) DO NOTHING', [session])
    const { rows } = await client.query('SELECT next_seq FROM reprise_journal_sessions WHERE session = $1 FOR UPDATE', [session])
    const known = await knownIds(client, session, events)
    let next = Number(rows[0]?.next_seq ?? 0)
    const fresh: { readonly seq: number; readonly event: NewEvent }[] = []
    const seqs = events.map((event) => {
      const earlier = event.id === null ? undefined : known.get(event.id)
      if (earlier !== undefined) return earlier
      const seq = next
      next += 1
      fresh.push({ seq, event })
      if (event.id !== null) known.set(event.id, seq)
      return seq
    })
    if (fresh.length > 0) {
      await client.query(
        `INSERT INTO reprise_journal_events (session, seq, event_id, kind, event)
         SELECT $1, seq, event_id, kind, event::json FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) AS new (seq, event_id, kind, event)`,
        [
          session,
          fresh.map(({ seq }) => seq),
          fresh.map(({ event }) => event.id),
          fresh.map(({ event }) => event.kind),
          fresh.map(({ event }) => event.text),
        ],
      )
      await client.query('UPDATE reprise_journal_sessions SET next_seq = $2 WHERE session = $1', [session, next])
      await client.query('SELECT pg_notify($1, $2)', [CHANNEL, session])
    }
    await client.query('COMMIT')
    return seqs
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

async function knownIds(client: Queryable, session: string, events: readonly NewEvent[]): Promise<Map<string, number>> {
  const ids = events.flatMap((event) => (event.id === null ? [] : [event.id]))
  if (ids.length === 0) return new Map()
  const { rows } = await client.query('SELECT event_id, seq FROM reprise_journal_events WHERE session = $1 AND event_id = ANY($2)', [session, ids])
  return new Map(rows.map((row) => [String(row.event_id), Number(row.seq)]))
}
