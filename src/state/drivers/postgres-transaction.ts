/** A transaction on a connection of the pool. A connection that cannot even roll back is thrown away. */
import type { Pool, PoolClient } from 'pg'

export type Isolation = 'read committed' | 'serializable'

export async function inTransaction<T>(
  pool: Pool,
  isolation: Isolation,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(`begin isolation level ${isolation}`)
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      broken = cause
    })
    throw error
  } finally {
    client.release(broken)
  }
}
