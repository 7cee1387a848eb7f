import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { stateContract } from './contract.ts'

let server: PostgresServer
let count = 0

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

stateContract({
  name: 'postgres',
  async place() {
    const database = `contract_${count++}`
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(`create database ${database}`)
    await client.end()
    return server.url.replace(/\/postgres$/, `/${database}`)
  },
})
