/**
 * Storms over connections: 200 queries at once over a pool, and 50 WebSockets with interleaved messages. Answers
 * come late, in another order, and sometimes unasked. Every replay has the same bytes in the same order.
 *
 * sockets-postgres.ci.test.ts has the storms that need a database server. 1,000 rounds in all.
 */
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { recordProgram } from '../support/recorded-program.ts'
import { LEDGER, storm } from '../support/storms.ts'

const connections = new Set<net.Socket>()
const late = (body: () => void): unknown =>
  Math.random() < 0.5 ? setImmediate(body) : setTimeout(body, Math.random() * 3)

/** Frames of a length and a text. A query is answered late, and its rows come in two frames. */
const database = net.createServer((socket) => {
  connections.add(socket.on('error', () => undefined))
  let held = Buffer.alloc(0)
  const send = (text: string): unknown => late(() => socket.write(frame(text)))
  socket.on('data', (bytes) => {
    held = Buffer.concat([held, bytes])
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
      const text = held.toString('utf8', 4, 4 + held.readUInt32BE(0))
      held = held.subarray(4 + held.readUInt32BE(0))
      send(`row ${text} ${Math.random()}`)
      setTimeout(() => send(`end ${text}`), 4)
    }
  })
})
const frame = (text: string): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(Buffer.byteLength(text))
  return Buffer.concat([head, Buffer.from(text)])
}

const model = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true })
model.on('connection', (socket) => {
  socket.on('message', (bytes, isBinary) => {
    const parts = 1 + Math.floor(Math.random() * 3)
    for (let part = 0; part < parts; part += 1)
      late(() => socket.send(isBinary ? bytes : `delta ${part} ${Math.random()}`, { binary: isBinary }))
    setTimeout(() => late(() => socket.send('done')), 4)
    if (Math.random() < 0.1) socket.ping('still there')
  })
})

const env: Record<string, string> = {}
beforeAll(async () => {
  if (model.address() === null) await once(model, 'listening')
  await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve))
  env.DATABASE = String((database.address() as AddressInfo).port)
  env.MODEL = String((model.address() as AddressInfo).port)
})
afterAll(async () => {
  for (const socket of [...connections, ...model.clients])
    'terminate' in socket ? socket.terminate() : socket.destroy()
  await Promise.all([database, model].map((server) => new Promise((resolve) => server.close(resolve))))
})

const QUERIES = `${LEDGER}
import net from 'node:net'
const open = () => {
  const socket = net.connect(process.env.DATABASE, '127.0.0.1'), waiting = new Map()
  let held = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    held = Buffer.concat([held, bytes])
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
      const [kind, id, value] = held.toString('utf8', 4, 4 + held.readUInt32BE(0)).split(' ')
      held = held.subarray(4 + held.readUInt32BE(0))
      note(kind, id, value)
      if (kind === 'end') { waiting.get(id)(); waiting.delete(id) }
    }
  })
  return { socket, query: (id) => new Promise((resolve) => { waiting.set(id, resolve); const head = Buffer.alloc(4); head.writeUInt32BE(id.length); socket.write(head); socket.write(id) }) }
}
const pool = Array.from({ length: 8 }, open)
for (let round = 0; round < rounds; round += 1) {
  await Promise.all(Array.from({ length: 200 }, (_, n) => pool[n % 8].query(round + ':' + n)))
  closeRound(round)
}
for (const { socket } of pool) socket.end()
`

const WEBSOCKETS = `${LEDGER}
import { WebSocket } from ${JSON.stringify(import.meta.resolve('ws'))}
const talk = (round, n) => new Promise((resolve, reject) => {
  const socket = new WebSocket('ws://127.0.0.1:' + process.env.MODEL + '/' + n); let turns = 0
  const ask = () => socket.send(turns % 2 === 0 ? 'turn ' + round + ' ' + n + ' ' + turns : Buffer.alloc(200 + n, turns))
  socket.on('open', ask).on('error', reject).on('ping', (data) => note(n, 'ping', data))
  socket.on('message', (data, isBinary) => {
    note(n, isBinary, isBinary ? data.length : data)
    if (String(data) !== 'done') return
    turns += 1
    if (turns === 3) socket.close(1000, 'bye'); else ask()
  })
  socket.on('close', (code) => { note(n, 'close', code); resolve() })
})
for (let round = 0; round < rounds; round += 1) {
  await Promise.all(Array.from({ length: 50 }, (_, n) => talk(round, n)))
  closeRound(round)
}
`

test('200 queries at once over eight connections', async () => {
  await storm(250, (rounds) => recordProgram(QUERIES, { ...env, ROUNDS: String(rounds) }))
})

test('50 WebSockets with interleaved messages', async () => {
  await storm(250, (rounds) => recordProgram(WEBSOCKETS, { ...env, ROUNDS: String(rounds) }))
})
