/** Clients of databases, mail servers, WebSockets and browsers, and the server that each one is recorded with. */
import { realtimeProgram, responsesProgram } from './model-sockets.ts'
import {
  browserServer,
  mariadbServer,
  modelServer,
  mongoServer,
  postgresServer,
  redisServer,
  type StartedServer,
  securePostgresServer,
  smtpServer,
  webSocketServer,
} from './servers.ts'

export type ClientProgram = {
  readonly name: string
  readonly packages: readonly string[]
  /** Debian's programs. */
  readonly needs: readonly string[]
  /** The oldest Node that has what the program uses. */
  readonly since: number
  readonly source: string
  /** `packages` is the folder in which they are installed. */
  server(packages: string): Promise<StartedServer>
}

const all = { needs: [], since: 20 } as const

const PG = `
import pg from 'pg'
const options = { host: '127.0.0.1', port: Number(process.env.PORT), user: 'postgres', password: process.env.DB_PASSWORD, database: 'postgres' }
`
const openai = { packages: ['openai@6', 'ws@8'], needs: ['openssl'], since: 20, server: modelServer }
const quoted = (module: string): string => JSON.stringify(module)

export const clientPrograms: readonly ClientProgram[] = [
  {
    ...all,
    name: 'pg',
    packages: ['pg@8'],
    server: postgresServer,
    source: `${PG}
const pool = new pg.Pool({ ...options, max: 8 })
const rows = await Promise.all(Array.from({ length: 200 }, (_, n) => pool.query('select $1::int as n, random() as value, now() as at', [n])))
console.log(rows.map(({ rows: [row] }) => row.n + ' ' + row.value + ' ' + row.at.toISOString()).join())
const client = await pool.connect()
const heard = new Promise((resolve) => client.on('notification', ({ payload }) => resolve(payload)))
await client.query('listen news'); await client.query("select pg_notify('news', 'hello')"); console.log(await heard)
console.log(await client.query('select * from nothing').catch(({ code, message }) => code + ' ' + message))
client.release(); await pool.end()
`,
  },
  {
    ...all,
    name: 'pg over TLS',
    packages: ['pg@8'],
    needs: ['openssl'],
    server: securePostgresServer,
    source: `${PG}
const client = new pg.Client({ ...options, ssl: { rejectUnauthorized: false } }); await client.connect()
console.log((await client.query('select ssl, version from pg_stat_ssl where pid = pg_backend_pid()')).rows); await client.end()
`,
  },
  {
    ...all,
    name: 'pg-cursor and pg-query-stream',
    packages: ['pg@8', 'pg-cursor@2', 'pg-query-stream@4'],
    server: postgresServer,
    source: `${PG}
import Cursor from 'pg-cursor'
import QueryStream from 'pg-query-stream'
const client = new pg.Client(options); await client.connect()
const cursor = client.query(new Cursor('select n, random() as value from generate_series(1, $1::int) n', [250]))
for (let rows = await cursor.read(100); rows.length > 0; rows = await cursor.read(100)) console.log(rows.length, rows[0])
await cursor.close()
let count = 0
for await (const { n } of client.query(new QueryStream('select n from generate_series(1, 1000) n', [], { batchSize: 50 }))) count += n
for await (const { n } of client.query(new QueryStream('select n from generate_series(1, 100000) n', [], { batchSize: 10 }))) if (n === 25) break
const failing = client.query(new Cursor('select 1 / (n - 3) from generate_series(1, 5) n'))
console.log(count, await failing.read(10).catch(({ code, message }) => code + ' ' + message)); await failing.close()
await client.end()
`,
  },
  {
    ...all,
    name: 'postgres',
    packages: ['postgres@3'],
    server: postgresServer,
    source: `
import postgres from 'postgres'
const sql = postgres({ host: '127.0.0.1', port: Number(process.env.PORT), user: 'postgres', password: process.env.DB_PASSWORD, database: 'postgres', max: 4 })
await sql\`create temp table notes (n int, text text)\`
const rows = await Promise.all(Array.from({ length: 20 }, (_, n) => sql\`select \${n}::int as n, \${'note ' + n} as text, now() as at\`))
console.log(rows.map(([row]) => row.n + row.text + row.at.toISOString()).join())
await sql.begin(async (step) => { await step\`select set_config('my.name', 'ada', true)\`; console.log(await step\`select current_setting('my.name') as name\`) })
const news = new Promise((resolve) => sql.listen('news', resolve, () => sql.notify('news', 'hello')))
console.log(await news)
for await (const [row] of sql\`select generate_series(1, 5) as n\`.cursor(1)) console.log(row.n)
console.log(await sql\`select * from nothing\`.catch(({ code, message }) => code + ' ' + message))
await sql.end()
`,
  },
  {
    ...all,
    name: 'ioredis',
    packages: ['ioredis@5'],
    needs: ['redis-server'],
    server: redisServer,
    source: `
import { Redis } from 'ioredis'
const options = { host: '127.0.0.1', port: Number(process.env.PORT), password: process.env.DB_PASSWORD }
const redis = new Redis(options), listener = new Redis(options)
const heard = new Promise((resolve) => listener.on('message', (channel, text) => resolve(channel + ' ' + text)))
await listener.subscribe('news')
await redis.flushall()
console.log(await Promise.all(Array.from({ length: 50 }, (_, n) => redis.set('key' + n, 'value ' + Math.random()))))
console.log(await redis.mget('key1', 'key2', 'missing'), await redis.getBuffer('key3'))
console.log(await redis.multi().incr('count').incr('count').get('count').exec())
console.log(await redis.eval('return {KEYS[1], ARGV[1]}', 1, 'a', 'b'), (await redis.info('server')).includes('redis_version'))
await redis.set('large', 'x'.repeat(300_000)); console.log((await redis.get('large')).length)
console.log(await redis.call('nosuch').catch((error) => error.message))
await redis.publish('news', 'hello'); console.log(await heard)
await Promise.all([redis.quit(), listener.quit()])
`,
  },
  {
    ...all,
    name: 'mysql2',
    packages: ['mysql2@3'],
    needs: ['mariadbd', 'mariadb-install-db'],
    server: mariadbServer,
    source: `
import mysql from 'mysql2/promise'
const pool = mysql.createPool({ host: '127.0.0.1', port: Number(process.env.PORT), user: 'agent', password: process.env.DB_PASSWORD, database: 'work', connectionLimit: 4 })
await pool.query('drop table if exists notes')
await pool.query('create table notes (n int primary key, text varchar(100), at timestamp default now())')
await Promise.all(Array.from({ length: 30 }, (_, n) => pool.execute('insert into notes (n, text) values (?, ?)', [n, 'note ' + n])))
const [rows] = await pool.execute('select n, text, at from notes where n > ? order by n', [20])
console.log(rows)
console.log((await pool.query("select repeat('y', 200000) as large"))[0][0].large.length)
console.log(await pool.query('select * from nothing').catch(({ code, message }) => code + ' ' + message))
const one = await pool.getConnection()
await one.beginTransaction(); await one.query('delete from notes'); await one.rollback(); one.release()
console.log((await pool.query('select count(*) as n from notes'))[0])
await pool.end()
`,
  },
  {
    ...all,
    name: 'nodemailer',
    packages: ['nodemailer@7', 'smtp-server@3'],
    server: smtpServer,
    source: `
import nodemailer from 'nodemailer'
const mailer = nodemailer.createTransport({ host: '127.0.0.1', port: Number(process.env.PORT), secure: false, auth: { user: 'agent', pass: process.env.DB_PASSWORD }, tls: { rejectUnauthorized: false } })
console.log(await mailer.verify())
const sent = await mailer.sendMail({ from: 'a@example.com', to: 'b@example.com, c@example.com', subject: 'Report', text: 'All is well.', html: '<p>All is well.</p>', attachments: [{ filename: 'a.bin', content: Buffer.alloc(50_000, 7) }] })
console.log(sent.accepted, sent.response, sent.messageId)
console.log(await mailer.sendMail({ from: 'a@example.com', to: 'not an address' }).catch(({ code, message }) => code + ' ' + message))
mailer.close()
`,
  },
  {
    ...all,
    name: 'mongodb',
    packages: ['mongodb@6'],
    server: mongoServer,
    source: `
import { MongoClient } from 'mongodb'
const client = new MongoClient('mongodb://127.0.0.1:' + process.env.PORT, { auth: { username: 'agent', password: process.env.DB_PASSWORD }, authMechanism: 'SCRAM-SHA-256', directConnection: true, serverMonitoringMode: 'poll' })
const notes = client.db('work').collection('notes')
const { insertedIds } = await notes.insertMany([1, 2, 3, 4, 5].map((n) => ({ n, text: 'note ' + n, at: new Date() })))
console.log(Object.keys(insertedIds).length)
for await (const { n, text } of notes.find({}, { batchSize: 2 })) console.log(n, text)
console.log(await client.db('work').command({ nosuch: 1 }).catch(({ code, message }) => code + ' ' + message))
await client.close()
`,
  },
  {
    ...all,
    name: 'global WebSocket',
    packages: ['ws@8'],
    since: 22,
    server: webSocketServer,
    source: `
const socket = new WebSocket('ws://127.0.0.1:' + process.env.PORT + '/live?token=' + process.env.SERVICE_TOKEN, ['chat', 'other'])
socket.binaryType = 'arraybuffer'
const done = new Promise((resolve) => socket.addEventListener('close', ({ code, reason, wasClean }) => resolve([code, reason, wasClean])))
const next = () => new Promise((resolve) => socket.addEventListener('message', ({ data }) => resolve(data), { once: true }))
console.log(await next(), socket.protocol, socket.extensions)
socket.send('hello'); console.log(await next())
socket.send(new Uint8Array(70_000).fill(7)); console.log(Buffer.from(await next()).length)
socket.send('x'.repeat(5000)); console.log((await next()).length)
socket.send('close'); console.log(await done)
const failed = new WebSocket('ws://127.0.0.1:1/'); console.log(await new Promise((resolve) => { failed.onerror = () => resolve('refused') }))
`,
  },
  {
    ...all,
    name: 'ws',
    packages: ['ws@8'],
    server: webSocketServer,
    source: `
import WebSocket from 'ws'
const socket = new WebSocket('ws://127.0.0.1:' + process.env.PORT + '/live?token=' + process.env.SERVICE_TOKEN, ['chat', 'other'], { headers: { authorization: 'Bearer ' + process.env.SERVICE_TOKEN } })
const next = () => new Promise((resolve) => socket.once('message', (data, isBinary) => resolve(isBinary ? data.length : String(data))))
const done = new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, String(reason)])))
socket.on('pong', (data) => console.log('pong', String(data)))
console.log(await next(), socket.protocol, socket.extensions)
for (const each of ['hello', Buffer.alloc(70_000, 7), 'x'.repeat(5000)]) { socket.send(each); console.log(await next()) }
socket.ping('still there'); socket.send('part one, ', { fin: false }); socket.send('part two', { fin: true }); console.log(await next())
socket.send('close'); console.log(await done)
const failed = new WebSocket('ws://127.0.0.1:1/'); console.log(await new Promise((resolve) => failed.once('error', ({ code, message }) => resolve(code + ' ' + message))))
`,
  },
  {
    ...all,
    name: "undici's WebSocket",
    packages: ['undici@7', 'ws@8'],
    server: webSocketServer,
    source: `
import { WebSocket, fetch } from 'undici'
const url = '127.0.0.1:' + process.env.PORT
const socket = new WebSocket('ws://' + url + '/live', { protocols: ['chat'], headers: { authorization: 'Bearer ' + process.env.SERVICE_TOKEN } })
socket.binaryType = 'arraybuffer'
const next = () => new Promise((resolve) => socket.addEventListener('message', ({ data }) => resolve(data), { once: true }))
const done = new Promise((resolve) => socket.addEventListener('close', ({ code, reason, wasClean }) => resolve([code, reason, wasClean])))
console.log(await next(), socket.protocol, socket.extensions)
socket.send('hello'); console.log(await next())
socket.send(new Uint8Array(70_000).fill(7)); console.log((await next()).byteLength)
console.log((await fetch('http://' + url + '/plain')).status)
socket.send('close'); console.log(await done)
`,
  },
  { ...openai, name: "OpenAI's responses over a WebSocket", source: responsesProgram(quoted) },
  { ...openai, name: "OpenAI's realtime API", source: realtimeProgram(quoted) },
  {
    ...all,
    name: 'puppeteer-core',
    packages: ['puppeteer-core@24'],
    needs: ['chromium'],
    server: browserServer,
    source: `
import puppeteer from 'puppeteer-core'
const browser = await puppeteer.connect({ browserWSEndpoint: process.env.BROWSER })
const context = await browser.createBrowserContext()
const page = await context.newPage()
page.on('console', (message) => console.log('page:', message.text()))
await page.setContent('<title>Notes</title><ul></ul><button onclick="document.querySelector(\\'ul\\').append(Math.random()); console.log(\\'clicked\\')">Add</button>')
await page.click('button')
console.log(await page.title(), await page.$eval('ul', (list) => list.textContent))
console.log((await page.screenshot()).length, await page.evaluate(() => [1, 2, 3].map((n) => n * 2)))
console.log(await page.evaluate(() => { throw new Error('in the page') }).catch(({ message }) => message))
await context.close()
await browser.disconnect()
`,
  },
  {
    ...all,
    name: 'playwright-core',
    packages: ['playwright-core@1'],
    needs: ['chromium'],
    server: browserServer,
    source: `
import { chromium } from 'playwright-core'
const browser = await chromium.connectOverCDP(process.env.BROWSER)
const context = await browser.newContext()
const page = await context.newPage()
page.on('console', (message) => console.log('page:', message.text()))
await page.setContent('<title>Notes</title><ul></ul><button onclick="document.querySelector(\\'ul\\').append(Math.random()); console.log(\\'clicked\\')">Add</button>')
await page.getByRole('button').click()
console.log(await page.title(), await page.locator('ul').textContent())
console.log((await page.screenshot()).length, await page.evaluate(() => [1, 2, 3].map((n) => n * 2)))
await context.close()
await browser.close()
`,
  },
]
