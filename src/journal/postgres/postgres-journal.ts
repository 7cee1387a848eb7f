/**
 * A journal in PostgreSQL, for many machines. The same promises as the file: per session ordered, contiguous
 * from 0, no record lost or doubled.
 *
 * The session's row is the lock: a batch raises its counter and inserts in one transaction, so writers of one
 * session queue up and sessions do not disturb each other. Appends under way at the same time share a
 * transaction. With an event id an append is idempotent: the second time gives the seq of the first and
 * writes nothing. A transaction whose answer was lost is not retried automatically; that is what event ids
 * are for.
 */
import { parseJson } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { realEnv, realSetImmediate } from '../../real/index.ts'
import { createScrubber, type ScrubbedText, type Scrubber } from '../../scrub/index.ts'
import { primitiveOfKind } from '../events/category.ts'
import { decodeEvent } from '../events/decode.ts'
import type { AppendOptions, FollowOptions, Journal, JournalEntry, ReadOptions } from '../events/journal.ts'
import { writableEvent } from '../events/writable-event.ts'
import { checkSessionId } from '../file/session-id.ts'
import { type Connection, connect, databaseError, type Queryable } from './client.ts'
import { followTable } from './follow.ts'
import { migrate } from './migrations.ts'

export type PostgresJournalOptions = {
  /** `postgres://user:password@host/database`; `?options=-c search_path=…` chooses a schema. */
  readonly url: string
  readonly session: string
  readonly scrubber?: Scrubber
}

type NewEvent = { readonly id: string | null; readonly kind: string; readonly text: ScrubbedText }
type Waiting = {
  readonly events: readonly NewEvent[]
  resolve(seqs: readonly number[]): void
  reject(error: unknown): void
}

const PAGE = 1000
const MAX_BATCH = 1000

export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const session = checkSessionId(options.session)
  const client = await connect(options.url)
  try {
    await migrate(client)
  } catch (error) {
    await client.end()
    throw databaseError(error, 'cannot prepare the journal tables')
  }
  return createPostgresJournal(options, session, client)
}

function createPostgresJournal(
  options: PostgresJournalOptions,
  session: string,
  client: Connection,
): Journal {
  const scrubber = options.scrubber ?? createScrubber({ env: realEnv })
  let queue: Waiting[] = []
  let flushing: Promise<void> | null = null
  let closed = false

  const flush = async (): Promise<void> => {
    await new Promise<void>((resolve) => void realSetImmediate(resolve))
    while (queue.length > 0) {
      const batch = takeBatch(queue)
      queue = queue.slice(batch.length)
      try {
        const seqs = await insertBatch(
          client,
          session,
          batch.flatMap((waiting) => waiting.events),
        )
        let at = 0
        for (const waiting of batch) {
          waiting.resolve(seqs.slice(at, at + waiting.events.length))
          at += waiting.events.length
        }
      } catch (error) {
        for (const waiting of batch) waiting.reject(databaseError(error, 'cannot append'))
      }
    }
    flushing = null
  }

  const enqueue = (events: readonly NewEvent[]): Promise<readonly number[]> =>
    new Promise((resolve, reject) => {
      queue.push({ events, resolve, reject })
      flushing ??= flush()
    })

  const prepare = (event: unknown, id: string | null): NewEvent => {
    const { kind, text } = writableEvent(event, scrubber)
    return { id, kind, text }
  }

  const refuseClosed = (): void => {
    if (closed)
      throw new RepriseError('journal-closed', `the journal of ${session} is closed`, {
        hint: 'open it again',
      })
  }

  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    if (flushing !== null) await flushing
    await client.end()
  }

  return {
    session,
    async append(event: unknown, { eventId }: AppendOptions = {}) {
      refuseClosed()
      const [seq] = await enqueue([prepare(event, eventId ?? null)])
      return seq ?? -1
    },
    async appendAll(events: readonly unknown[]) {
      refuseClosed()
      return events.length === 0 ? [] : enqueue(events.map((event) => prepare(event, null)))
    },
    read: (readOptions: ReadOptions = {}) => readPages(client, session, readOptions),
    async latestSeq() {
      refuseClosed()
      const { rows } = await client.query(
        'SELECT max(seq) AS seq FROM reprise_journal_events WHERE session = $1',
        [session],
      )
      return Number(rows[0]?.seq ?? -1)
    },
    follow: (followOptions: FollowOptions = {}) =>
      followTable(options.url, session, followOptions, readPages),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Whole appends, up to a size at which one statement is still quick. */
function takeBatch(queue: readonly Waiting[]): readonly Waiting[] {
  let events = 0
  const end = queue.findIndex((waiting) => {
    events += waiting.events.length
    return events > MAX_BATCH
  })
  return end === -1 ? queue : queue.slice(0, Math.max(1, end))
}

/** Page by page, so a long session is never held whole. */
async function* readPages(
  client: Pick<Connection, 'query'>,
  session: string,
  { fromSeq = 0, primitive }: ReadOptions,
): AsyncGenerator<JournalEntry> {
  let next = fromSeq
  for (;;) {
    const { rows } = await query(client, [session, next])
    for (const row of rows) {
      const seq = Number(row.seq)
      next = seq + 1
      const decoded = decodeEvent(typeof row.event === 'string' ? parseJson(row.event) : row.event)
      if (!decoded.ok)
        throw new RepriseError('event-invalid', `the event with seq ${seq} is not a session event`, {
          details: { seq, problems: decoded.problems },
        })
      if (primitive === undefined || primitiveOfKind(decoded.event.kind) === primitive)
        yield { seq, event: decoded.event }
    }
    if (rows.length < PAGE) return
  }
}

function query(
  client: Pick<Connection, 'query'>,
  values: readonly unknown[],
): ReturnType<Connection['query']> {
  const text = `SELECT seq, event::text AS event FROM reprise_journal_events WHERE session = $1 AND seq >= $2 ORDER BY seq LIMIT ${PAGE}`
  return client.query(text, values).catch((error: unknown) => {
    throw databaseError(error, 'cannot read')
  })
}

/**
 * One batch in one statement, so in one transaction. Returns the seq of every event, new or known by its id.
 */
async function insertBatch(
  client: Queryable,
  session: string,
  events: readonly NewEvent[],
): Promise<readonly number[]> {
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
