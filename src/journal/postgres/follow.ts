/**
 * Follows a session in Postgres: LISTEN on a connection of its own, then read on from the last seq at each
 * notification. A lost connection is an error.
 */
import type { FollowOptions, JournalEntry, ReadOptions } from '../events/journal.ts'
import { type Connection, connect, databaseError } from './client.ts'
import { CHANNEL } from './migrations.ts'

type ReadPages = (
  client: Pick<Connection, 'query'>,
  session: string,
  options: ReadOptions,
) => AsyncGenerator<JournalEntry>

export async function* followTable(
  url: string,
  session: string,
  options: FollowOptions,
  readPages: ReadPages,
): AsyncGenerator<JournalEntry> {
  const { signal, primitive } = options
  const client = await connect(url)
  let ring: () => void = () => undefined
  let lost: unknown = null
  let news = true
  client.on('notification', (message) => {
    if (message.payload !== session) return
    news = true
    ring()
  })
  client.on('error', (error) => {
    lost = error ?? new Error('connection lost')
    ring()
  })
  client.on('end', () => {
    lost ??= new Error('connection closed')
    ring()
  })
  const onAbort = (): void => ring()
  signal?.addEventListener('abort', onAbort)
  try {
    await client.query(`LISTEN ${CHANNEL}`)
    let next = options.fromSeq ?? 0
    while (!isAborted(signal)) {
      if (lost !== null) throw databaseError(lost, 'cannot follow')
      if (!news) {
        await new Promise<void>((resolve) => {
          ring = resolve
          // It may have rung between the check above and here.
          if (news || lost !== null || isAborted(signal)) resolve()
        })
        continue
      }
      news = false
      for await (const entry of readPages(client, session, {
        fromSeq: next,
        ...(primitive === undefined ? {} : { primitive }),
      })) {
        next = entry.seq + 1
        yield entry
        if (isAborted(signal)) return
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    await client.end()
  }
}

/** A call, because a signal changes between two looks and the type checker thinks it does not. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}
