/**
 * Storms with a real Postgres: 200 queries at once by `pg`, and 100 requests at once to an agent on Express that
 * asks Postgres and a model over a WebSocket for each of them. Replayed without network, servers and password.
 */
import { once } from 'node:events'
import http from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { recordServer } from '../support/served-program.ts'
import { LEDGER, storm } from '../support/storms.ts'

const express = pathToFileURL(createRequire(import.meta.url).resolve('express')).href
const model = new WebSocketServer({ port: 0, host: '127.0.0.1' })
model.on('connection', (socket) => {
  socket.on('message', (bytes) => {
    const { id } = JSON.parse(String(bytes))
    for (const part of ['first', 'second'])
      setTimeout(
        () => socket.send(JSON.stringify({ id, delta: `${part} ${Math.random()}` })),
        Math.random() * 3,
      )
    setTimeout(() => socket.send(JSON.stringify({ id, done: true })), 4 + Math.random() * 3)
  })
})

let postgres: PostgresServer
const env: Record<string, string> = {}
beforeAll(async () => {
  postgres = await startPostgres({ settings: { max_connections: '50' } })
  if (model.address() === null) await once(model, 'listening')
  const { port, password } = new URL(postgres.url)
  Object.assign(env, {
    PGPORT: port,
    PGPASSWORD: password,
    MODEL: String((model.address() as AddressInfo).port),
  })
}, 120_000)
afterAll(async () => {
  for (const socket of model.clients) socket.terminate()
  await new Promise((resolve) => model.close(resolve))
  await postgres.stop()
})

const POOL = `
import pg from ${JSON.stringify(import.meta.resolve('pg'))}
const pool = new pg.Pool({ host: '127.0.0.1', port: Number(process.env.PGPORT), user: 'postgres', password: process.env.PGPASSWORD, database: 'postgres', max: 8 })
`
const QUERIES = `${LEDGER}${POOL}
for (let round = 0; round < rounds; round += 1) {
  await Promise.all(Array.from({ length: 200 }, async (_, n) => {
    const { rows: [row] } = await pool.query('select $1::int as n, random() as value, clock_timestamp() as at', [n])
    note(row.n, row.value, row.at.toISOString())
  }))
  closeRound(round)
}
await pool.end()
`
const AGENT = `${LEDGER}${POOL}
import express from '${express}'
import { WebSocket } from ${JSON.stringify(import.meta.resolve('ws'))}
const socket = new WebSocket('ws://127.0.0.1:' + process.env.MODEL), waiting = new Map(); let asked = 0
socket.on('message', (data) => { const message = JSON.parse(data); note(message.id, message.delta); if (message.done) { waiting.get(message.id)(); waiting.delete(message.id) } })
const ask = () => new Promise((resolve) => { asked += 1; waiting.set(asked, resolve); socket.send(JSON.stringify({ id: asked })) })
const app = express()
app.get('/ask/:n', async (req, res) => {
  const [{ rows: [row] }] = await Promise.all([pool.query('select $1::int * 2 as n, random() as value', [req.params.n]), ask()])
  note('answer', req.params.n, row.value)
  res.json({ n: row.n, value: row.value })
})
app.get('/round/:n', (req, res) => { closeRound(req.params.n); res.end('closed') })
app.get('/stop', (req, res) => { res.end('stopped'); server.close(); server.closeAllConnections(); socket.close(); pool.end() })
const server = app.listen(0, '127.0.0.1', () => socket.on('open', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid)))
// A round may take longer than the five seconds after which Node closes an idle connection that a client is about to use.
server.keepAliveTimeout = 600_000
`

test('200 queries at once by pg', { timeout: 3_600_000 }, async () => {
  await storm(250, (rounds) => recordProgram(QUERIES, { ...env, ROUNDS: String(rounds) }))
})

test('100 requests at once to an agent with Postgres and a WebSocket', { timeout: 3_600_000 }, async () => {
  await storm(250, (rounds) =>
    recordServer(
      AGENT,
      async ({ port }) => {
        const agent = new http.Agent({ keepAlive: true, maxSockets: 100 })
        const get = (path: string): Promise<void> =>
          new Promise((resolve, reject) => {
            http
              .get({ port, host: '127.0.0.1', path, agent }, (answer) => answer.resume().on('close', resolve))
              .on('error', reject)
          })
        for (let round = 0; round < rounds; round += 1) {
          await Promise.all(Array.from({ length: 100 }, (_, n) => get(`/ask/${n}`)))
          await get(`/round/${round}`)
        }
        await get('/stop')
        agent.destroy()
      },
      { env },
    ),
  )
})
