/** WebSockets of `ws` and of undici, recorded as messages and replayed without their server. */
import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'

const TOKEN = 'wsTok3n-of-the-test-0815'
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: { threshold: 0 } })
/** Frames that no server may send. */
const FORBIDDEN: Readonly<Record<string, Buffer>> = {
  opcode: Buffer.from([0x83, 1, 65, 0x81, 1, 66]),
  continuation: Buffer.from([0x80, 1, 65]),
  masked: Buffer.from([0x81, 0x81, 1, 2, 3, 4, 65]),
  damaged: Buffer.from([0xc1, 3, 255, 255, 255]),
  utf8: Buffer.from([0x81, 2, 0xff, 0xfe]),
  code: Buffer.from([0x88, 2, 0, 5]),
  cut: Buffer.from([0x81, 100, 65, 66]),
}
const wire = (socket: WebSocket): Socket => Reflect.get(socket, '_socket')
let env: Record<string, string> = {}

server.on('connection', (socket: WebSocket) => {
  socket.on('error', () => undefined)
  socket.send('welcome')
  socket.ping('hi')
  socket.on('message', (data) => {
    const text = String(data)
    if (text === 'close') socket.close(4001, 'bye now')
    else if (text === 'kill') socket.terminate()
    else if (text === 'huge') socket.send(Buffer.alloc(3_000_000, 'h'), { compress: false })
    else if (text in FORBIDDEN) wire(socket).write(FORBIDDEN[text] ?? '')
    else if (text === 'big') socket.send(Buffer.alloc(200_000, 'z'))
    else if (text === 'parts') {
      socket.send('first ', { fin: false })
      socket.send('second', { fin: true })
    } else socket.send(`echo ${text}`)
  })
})
beforeAll(async () => {
  if (server.address() === null) await new Promise((resolve) => server.once('listening', resolve))
  env = { URL: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, WS_TOKEN: TOKEN }
})
afterAll(() => {
  for (const socket of server.clients) socket.terminate()
  server.close()
})

const module = (name: string): string => JSON.stringify(import.meta.resolve(name))
const WS = `import WebSocket from ${module('ws')}
const { URL: url, WS_TOKEN } = process.env
const open = (n, query = '') => { const socket = new WebSocket(url + '/' + n + query, { headers: { authorization: 'Bearer ' + WS_TOKEN } })
  socket.on('ping', (data) => console.log(n, 'ping', String(data))).on('message', (data, isBinary) => console.log(n, isBinary, String(data).slice(0, 12)))
  socket.on('close', (code, reason) => console.log(n, 'close', code, String(reason))).on('error', (error) => console.log(n, error.code, error.message)); return socket }
`
const MESSAGES = `${WS} const socket = open(0, '?access_token=' + WS_TOKEN)
  socket.on('open', () => { for (const each of ['one', JSON.stringify({ key: WS_TOKEN }), 'parts', 'big', 'close']) socket.send(each) })
  const cut = open(1); cut.on('open', () => cut.send('kill'))`

test('messages, pings, fragments, compression and close codes of ws', async () => {
  const program = await recordProgram(MESSAGES, env)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout).toContain('0 close 4001 bye now')
  const tape = readFileSync(program.tape, 'utf8')
  expect(tape).not.toContain(TOKEN)
  expect(tape).toContain('"message":"text","data":{"text":"first second"}')
  const { report, stdout, code } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout, code }).toEqual({ stdout: program.recorded.stdout, code: 0 })

  program.change(MESSAGES.replace("'one'", "'two'"))
  const changed = await program.replay()
  expect({ code: changed.code, verdict: changed.report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  expect(JSON.stringify(changed.report.divergences)).toMatch(/one.*two/)
  const { stdout: shown } = await reprise(['inspect', program.tape])
  expect(shown).toMatch(/network +#\d+ +text sent: /)
  expect(shown).toMatch(/network +#\d+ +text received: /)
  expect(shown).not.toMatch(/network +#\d+ +p[io]ng /)
})

test('fifty sockets with interleaved messages', async () => {
  const source = `${WS} for (let n = 0; n < 50; n += 1) { const socket = open(n); let turn = 0
    socket.on('open', () => socket.send('0')).on('message', (data) => { if (!String(data).startsWith('echo')) return
      turn += 1; socket.send(turn < 5 ? String(turn) : 'close') }) }`
  const program = await recordProgram(source, env)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
})

test('a message above 1 MiB, and frames that no server may send, as without a recorder', async () => {
  const kinds = Object.keys(FORBIDDEN)
  const source = `${WS} for (const kind of ${JSON.stringify(['huge', ...kinds])}) { const socket = open(kind)
      socket.on('open', () => { socket.send(kind); if (kind === 'cut' || kind === 'huge') socket.send(kind === 'cut' ? 'kill' : 'close') })
      await new Promise((resolve) => socket.on('close', resolve)) }`
  const program = await recordProgram(source, env)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const { stdout } = program.recorded
  expect(stdout).toContain('huge true hhhhhhhhhhhh\n')
  for (const kind of kinds) expect(stdout).toMatch(new RegExp(`^${kind} close 1006`, 'm'))
  expect(stdout.match(/WS_ERR_\w+|Z_\w+/g)).toEqual([
    'WS_ERR_INVALID_OPCODE',
    'WS_ERR_INVALID_OPCODE',
    'WS_ERR_UNEXPECTED_MASK',
    'Z_DATA_ERROR',
    'WS_ERR_INVALID_UTF8',
    'WS_ERR_INVALID_CLOSE_CODE',
  ])
  const replay = await program.replay({ env: { PATH: process.env.PATH } })
  expect(replay.report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(replay.stdout).toBe(stdout)
})

test("undici's WebSocket", async () => {
  const source = `import { WebSocket } from ${module('undici')}
    const socket = new WebSocket(process.env.URL + '/u')
    socket.onopen = () => { socket.send('one'); socket.send('close') }
    socket.onmessage = ({ data }) => console.log(String(data)); socket.onclose = ({ code, reason }) => console.log(code, reason); socket.onerror = ({ message }) => console.log('error', message)`
  const program = await recordProgram(source, env)
  expect(program.recorded).toMatchObject({ code: 0, stdout: 'welcome\necho one\n4001 bye now\n' })
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
})

test('MQTT over a WebSocket replays without the password, whose length is not on the tape', async () => {
  // As MQTT.js does: each field of a packet is a message.
  const source = `import WebSocket from ${module('ws')}
    const secret = Buffer.from(process.env.MQTT_PASSWORD), size = (n) => Buffer.of(n >> 8, n & 255)
    const fields = [Buffer.from('MQTT'), Buffer.of(4, 66, 0, 30), size(1), Buffer.from('z'), size(secret.length), secret]
    const length = 2 + fields.reduce((sum, field) => sum + field.length, 0)
    const socket = new WebSocket(process.env.URL + '/mqtt', 'mqtt')
    socket.on('open', () => { for (const each of [Buffer.of(0x10), Buffer.of(length), size(4), ...fields]) socket.send(each); socket.send('close') })
    socket.on('close', (code) => console.log(code))`
  const program = await recordProgram(source, { ...env, MQTT_PASSWORD: 'hunter2-hunter2-hunter2' })
  expect(program.recorded).toMatchObject({ code: 0, stdout: '4001\n', stderr: '' })
  const sent = readFileSync(program.tape, 'utf8').match(/"direction":"out","message":"binary"/g)
  expect(sent).toHaveLength(1)
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe('4001\n')
  program.change(source.replace("'z'", "'y'"))
  expect((await program.replay()).report.verdict).toBe('diverged')
})
