/** WebSockets to a server of the program: recorded as messages in both directions, and compared one by one. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { allBytesOf } from '../support/all-bytes.ts'
import { reprise } from '../support/cli.ts'
import { recordServer, type ServedBy } from '../support/served-program.ts'

const KEY = 'sk-test-8Jq2Vx7Lm4Tz9Wd1Kp3Rn6'

/** Answers each message; the message `stop` ends it. */
const SERVER = `
import http from 'node:http'
import { WebSocketServer } from ${JSON.stringify(import.meta.resolve('ws'))}
const server = http.createServer((request, response) => response.end('plain'))
const sockets = new WebSocketServer({ server })
sockets.on('connection', (socket, request) => {
  const print = (...words) => console.log(request.url, ...words)
  socket.on('error', ({ code, message }) => print(code, message))
  socket.on('ping', (data) => print('ping', String(data))).on('pong', (data) => print('pong', String(data)))
  socket.on('close', (code, reason) => print('close', code, String(reason)))
  socket.on('message', (data, isBinary) => {
    if (String(data) === 'stop') { socket.close(4001, 'stopped'); server.close(); return }
    if (String(data) === 'end') { socket._socket.end(Buffer.of(0x81, 5, 65)); return }
    if (String(data) === 'reset') { socket._socket.resetAndDestroy(); return }
    socket.send(isBinary ? data : 'you wrote ' + data)
  })
  socket.ping('from the server')
})
server.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))
`

async function chat({ port }: ServedBy): Promise<string[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat`)
  const heard: string[] = []
  const closed = once(socket, 'close')
  await once(socket, 'open')
  for (const each of ['one', `my key is ${KEY}`, Buffer.alloc(70_000, 7)]) {
    socket.send(each)
    const [data] = await once(socket, 'message')
    heard.push(String(data).slice(0, 13))
  }
  socket.send('first ', { fin: false })
  socket.ping('between two fragments')
  socket.send('second', { fin: true })
  heard.push(String((await once(socket, 'message'))[0]))
  socket.send('stop')
  await closed
  return heard
}

test('messages, pings, fragments and close codes are records that can be read', async () => {
  let heard: string[] = []
  const program = await recordServer(SERVER, async (served) => {
    heard = await chat(served)
  })
  expect(heard).toEqual(['you wrote one', 'you wrote my ', '\x07'.repeat(13), 'you wrote first second'])
  expect(program.recorded.stdout).toBe(
    '/chat pong from the server\n/chat ping between two fragments\n/chat close 4001 stopped\n',
  )
  const tape = readFileSync(program.tape, 'utf8')
  expect(tape).toContain('"direction":"in","message":"text","data":{"text":"first second"}')
  expect(tape).toContain('"direction":"out","message":"text","data":{"text":"you wrote first second"}')
  expect(tape).toContain('"direction":"out","message":"close","data":{"text":"stopped"},"code":4001')
  // A server that sends a secret back sends the placeholder back in a replay.
  expect(tape).toContain('{"text":"you wrote my key is <redacted:openai_key>"}')
  expect(allBytesOf(program.folder, /\.tape/).includes(KEY)).toBe(false)
  const { stdout: shown } = await reprise(['inspect', program.tape])
  expect(shown).toMatch(/text received: /)

  const { report, stdout, code } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout, code }).toEqual({ stdout: program.recorded.stdout, code: 0 })

  program.change(SERVER.replace('you wrote', 'he wrote'))
  const changed = await program.replay()
  expect({ code: changed.code, verdict: changed.report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  expect(JSON.stringify(changed.report.divergences)).toMatch(/you wrote one.*he wrote one/)
  program.change(SERVER.replace("socket.ping('from the server')", ''))
  expect((await program.replay()).report.verdict).toBe('diverged')
})

test('faults: the server and its replay print the same, in the same order', async () => {
  const program = await recordServer(SERVER, async ({ port }) => {
    // Masked: a text of which three bytes come. Then forbidden: one without a mask, and a continuation of nothing.
    const half = [0x81, 0x8a, 1, 2, 3, 4, 65, 66, 67]
    await upgraded(port, '/cut', half, (socket) => socket.end())
    await upgraded(port, '/reset', half, (socket) => socket.resetAndDestroy())
    await upgraded(port, '/unmasked', [0x81, 1, 65], () => undefined)
    await upgraded(port, '/continuation', [0x80, 0x81, 0, 0, 0, 0, 65], () => undefined)
    await upgraded(port, '/fragment', [0x01, 0x81, 0, 0, 0, 0, 65], (socket) => socket.end())
    for (const text of ['end', 'reset']) await upgraded(port, `/${text}`, masked(text), () => undefined)
    const last = new WebSocket(`ws://127.0.0.1:${port}/last`)
    await once(last, 'open')
    last.send('stop')
    await once(last, 'close')
  })
  expect(program.recorded.code).toBe(0)
  expect(program.recorded.stdout.match(/^\/\S+ (?:WS_\w+|close \d+)/gm)).toEqual([
    '/cut close 1006',
    '/reset close 1006',
    '/unmasked WS_ERR_EXPECTED_MASK',
    '/unmasked close 1006',
    '/continuation WS_ERR_INVALID_OPCODE',
    '/continuation close 1006',
    '/fragment close 1006',
    '/end close 1006',
    '/reset close 1006',
    '/last close 4001',
  ])
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
})

function masked(text: string): number[] {
  return [0x81, 0x80 | text.length, 0, 0, 0, 0, ...Buffer.from(text)]
}

/** Resolves when the connection is closed. Sends the bytes when the server has accepted. */
async function upgraded(
  port: number,
  path: string,
  bytes: readonly number[],
  then: (socket: net.Socket) => void,
): Promise<void> {
  const key = createHash('sha1').update(path).digest('base64')
  const socket = net.connect(port, '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key.slice(0, 22)}==\r\n\r\n`,
  )
  await once(socket, 'data')
  socket.resume()
  socket.write(Buffer.from(bytes), () => then(socket))
  await closed
}
