/**
 * The little of `pg` that the journal needs, and the one place where it is loaded: an optional peer, imported
 * when a Postgres journal is opened.
 */
import { isRepriseError, RepriseError } from '../../errors/index.ts'

type QueryRows = { readonly rows: readonly { readonly [column: string]: unknown }[] }
export type Queryable = { query(text: string, values?: readonly unknown[]): Promise<QueryRows> }

export type Connection = Queryable & {
  on(
    event: 'notification',
    listener: (message: { readonly channel: string; readonly payload?: string }) => void,
  ): unknown
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
  connect(): Promise<unknown>
  end(): Promise<void>
}

export async function connect(url: string): Promise<Connection> {
  const { Client } = await loadPg()
  const client = new Client({ connectionString: url })
  // A connection that breaks while idle must not end the process; the next query reports it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    throw databaseError(error, 'cannot connect to the database')
  }
}

async function loadPg(): Promise<{
  readonly Client: new (options: { readonly connectionString: string }) => Connection
}> {
  try {
    const pg = await import('pg')
    return (pg.default ?? pg) as {
      readonly Client: new (options: { readonly connectionString: string }) => Connection
    }
  } catch (error) {
    throw new RepriseError('journal-database', 'the package pg is not installed', {
      cause: error,
      hint: 'npm install pg',
    })
  }
}

/** One line, without the connection string: it holds a password. */
export function databaseError(error: unknown, what: string): RepriseError {
  if (isRepriseError(error)) return error
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : null
  const message = error instanceof Error ? error.message : String(error)
  return new RepriseError('journal-database', `${what}: ${message || code || 'connection lost'}`, {
    cause: error,
    details: { code },
    hint: 'is the server up, and may this user create tables?',
  })
}
