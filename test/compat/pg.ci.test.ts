/** `pg` against a real Postgres: SCRAM, a pool, LISTEN and NOTIFY, TLS. Replayed without server and password. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { recordProgram } from '../support/recorded-program.ts'

let server: PostgresServer
beforeAll(async () => {
  const { cert: certificate, key } = selfSigned()
  server = await startPostgres({ tls: { certificate, key } })
}, 120_000)
afterAll(() => server.stop())

const HEAD = `import pg from ${JSON.stringify(import.meta.resolve('pg'))}
const options = { host: '127.0.0.1', port: Number(process.env.PORT), user: 'postgres', password: process.env.PGPASSWORD, database: 'postgres' }
`
const PROGRAMS: Readonly<Record<string, string>> = {
  'two hundred parallel queries over a pool': `const pool = new pg.Pool({ ...options, max: 8 })
    const rows = await Promise.all(Array.from({ length: 200 }, (_, n) => pool.query('select $1::int as n', [n])))
    console.log(rows.map(({ rows: [row] }) => row.n).join()); await pool.end()`,
  'notifications and errors': `const client = new pg.Client(options); await client.connect()
    const heard = new Promise((resolve) => client.on('notification', ({ payload }) => resolve(payload)))
    await client.query('listen news'); await client.query("select pg_notify('news', 'hello')"); console.log(await heard)
    console.log(await client.query('select * from nothing').catch(({ code, message }) => code + ' ' + message)); await client.end()`,
  TLS: `const client = new pg.Client({ ...options, ssl: { rejectUnauthorized: false } }); await client.connect()
    console.log((await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')).rows); await client.end()`,
}

describe.each(Object.entries(PROGRAMS))('%s', (_what, source) => {
  test('replays ten times', async () => {
    const { port, password } = new URL(server.url)
    const program = await recordProgram(HEAD + source, { PORT: port, PGPASSWORD: password })
    expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(program.tape, 'latin1')).not.toContain(password)
    for (let turn = 0; turn < 10; turn += 1) {
      const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
      expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
      expect(stdout).toBe(program.recorded.stdout)
    }
  }, 120_000)
})
