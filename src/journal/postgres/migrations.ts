/**
 * The tables of the Postgres journal, one step per version, each applied once and in one transaction. A
 * database that a newer version has migrated is refused.
 *
 * Events are kept as `json`, which keeps the text as it was written (`jsonb` would sort keys and refuse
 * `\u0000`). They are partitioned by a hash of the session, so that many sessions do not share one index.
 */
import { RepriseError } from '../../errors/index.ts'
import type { Queryable } from './client.ts'

const PARTITIONS = 16

/** All sessions share one channel; the message names the session. */
export const CHANNEL = 'reprise_journal'

/**
 * One batch, in one round trip: take the session's row, leave out the ids that are there already, number and
 * insert the rest, notify. Gives the seq of every event, new or known.
 */
const APPEND_FUNCTION = `
CREATE FUNCTION reprise_journal_append(of_session text, ids text[], kinds text[], events text[]) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  next bigint;
  first bigint;
  found bigint;
  seqs bigint[] := '{}';
BEGIN
  INSERT INTO reprise_journal_sessions (session) VALUES (of_session) ON CONFLICT (session) DO NOTHING;
  SELECT next_seq INTO next FROM reprise_journal_sessions WHERE session = of_session FOR UPDATE;
  first := next;
  FOR i IN 1 .. cardinality(events) LOOP
    found := NULL;
    IF ids[i] IS NOT NULL THEN
      SELECT seq INTO found FROM reprise_journal_events WHERE session = of_session AND event_id = ids[i];
    END IF;
    IF found IS NULL THEN
      INSERT INTO reprise_journal_events (session, seq, event_id, kind, event) VALUES (of_session, next, ids[i], kinds[i], events[i]::json);
      found := next;
      next := next + 1;
    END IF;
    seqs := seqs || found;
  END LOOP;
  IF next > first THEN
    UPDATE reprise_journal_sessions SET next_seq = next WHERE session = of_session;
    PERFORM pg_notify('${CHANNEL}', of_session);
  END IF;
  RETURN seqs;
END $$`

const steps: readonly (readonly string[])[] = [
  [
    `CREATE TABLE reprise_journal_sessions (
       session text PRIMARY KEY,
       next_seq bigint NOT NULL DEFAULT 0
     )`,
    `CREATE TABLE reprise_journal_events (
       session text NOT NULL,
       seq bigint NOT NULL,
       event_id text,
       kind text NOT NULL,
       event json NOT NULL,
       at timestamptz NOT NULL DEFAULT clock_timestamp(),
       PRIMARY KEY (session, seq)
     ) PARTITION BY HASH (session)`,
    ...Array.from(
      { length: PARTITIONS },
      (_none, part) =>
        `CREATE TABLE reprise_journal_events_${part} PARTITION OF reprise_journal_events FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`,
    ),
    'CREATE UNIQUE INDEX reprise_journal_event_ids ON reprise_journal_events (session, event_id) WHERE event_id IS NOT NULL',
    APPEND_FUNCTION,
  ],
]

/** Any number that no other program is likely to lock on. */
const MIGRATION_LOCK = 7_301_994_052

export async function migrate(client: Queryable): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await client.query('CREATE TABLE IF NOT EXISTS reprise_journal_version (version integer NOT NULL)')
    const { rows } = await client.query('SELECT max(version) AS version FROM reprise_journal_version')
    const current = Number(rows[0]?.version ?? 0)
    if (current > steps.length) {
      throw new RepriseError(
        'journal-database',
        `the journal tables are of version ${current}, this Reprise knows ${steps.length}`,
        {
          details: { found: current, known: steps.length },
          hint: 'use a newer Reprise',
        },
      )
    }
    for (const [index, statements] of steps.entries()) {
      if (index < current) continue
      for (const statement of statements) await client.query(statement)
      await client.query('INSERT INTO reprise_journal_version (version) VALUES ($1)', [index + 1])
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
