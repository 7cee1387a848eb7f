/** Reads a session from a database for `audit`. Creates no tables. */
import { parseJson } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { decodeEvent } from '../events/decode.ts'
import type { JournalEntry } from '../events/journal.ts'
import { type Connection, connect, databaseError } from './client.ts'
import { databaseParts } from './place.ts'

const PAGE = 1000
const LISTED = 10

export async function* readSession(place: string): AsyncGenerator<readonly JournalEntry[]> {
  const { url, session: named } = databaseParts(place)
  const client = await connect(url)
  try {
    const session = named ?? (await onlySession(client))
    for (let next = 0; ; ) {
      const text = `SELECT seq, event::text AS event, at FROM reprise_journal_events
        WHERE session = $1 AND seq >= $2 ORDER BY seq LIMIT ${PAGE}`
      const { rows } = await client.query(text, [session, next])
      if (rows.length === 0 && next === 0) throw unknownSession(session, await sessions(client))
      const entries = rows.map((row) => entryOf(row))
      if (entries.length > 0) yield entries
      if (rows.length < PAGE) return
      next = (entries.at(-1)?.seq ?? next) + 1
    }
  } catch (error) {
    throw databaseError(error, 'cannot read the journal')
  } finally {
    await client.end()
  }
}

function entryOf(row: { readonly [column: string]: unknown }): JournalEntry {
  const seq = Number(row.seq)
  const decoded = decodeEvent(parseJson(String(row.event)))
  if (decoded.ok)
    return { seq, event: decoded.event, ...(row.at instanceof Date ? { at: row.at.toISOString() } : {}) }
  throw new RepriseError('event-invalid', `the event with seq ${seq} is not a session event`, {
    details: { seq, problems: decoded.problems },
  })
}

async function sessions(client: Connection): Promise<string[]> {
  const { rows } = await client.query('SELECT session FROM reprise_journal_sessions ORDER BY session')
  return rows.map((row) => String(row.session))
}

async function onlySession(client: Connection): Promise<string> {
  const known = await sessions(client)
  const [only, ...more] = known
  if (only !== undefined && more.length === 0) return only
  const listed = known.slice(0, LISTED).join(', ')
  throw new RepriseError('usage', `the database has ${known.length} sessions`, {
    hint:
      known.length === 0 ? 'nothing was written yet' : `name one after a #: postgres://…#${only} (${listed})`,
  })
}

function unknownSession(session: string, known: readonly string[]): RepriseError {
  return new RepriseError('audit-input', `the database has no session ${JSON.stringify(session)}`, {
    hint: known.length === 0 ? 'it has none' : `it has ${known.slice(0, LISTED).join(', ')}`,
  })
}
