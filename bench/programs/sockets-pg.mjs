// Queries one after another over one connection.
import pg from 'pg'

const client = new pg.Client({
  host: '127.0.0.1',
  port: Number(process.env.BENCH_PORT),
  user: 'postgres',
  password: process.env.BENCH_PASSWORD,
  database: 'postgres',
})
await client.connect()
const count = Number(process.env.BENCH_COUNT)
let sum = 0
for (let n = 0; n < count; n += 1) {
  const { rows } = await client.query('select $1::int as n, $2::text as text', [n, 'x'.repeat(200)])
  sum += rows[0].n
}
console.log(sum)
await client.end()
