/**
 * Secrets that cross connections: in the address, headers and sub-protocols of a WebSocket, and in what clients send
 * to a server of the program. None is on disk, as it is or in base64, and each replay without them is faithful.
 */
import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { RecordedProgram } from '../support/recorded-program.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { recordServer } from '../support/served-program.ts'

const SECRETS = {
  URL_TOKEN: 'qU7-urltok3n-Zx81Lm20',
  HEADER_TOKEN: 'hE4-headertok3n-Pq55Rt',
  PROTOCOL_KEY: 'pR0-protocolkey-Vb77Nn',
  COOKIE_VALUE: 'cO0-cookievalue-Jk31Hg',
} as const
const server = new WebSocketServer({
  port: 0,
  host: '127.0.0.1',
  handleProtocols: (protocols) => [...protocols][0] ?? false,
})
server.on('connection', (socket, request) => {
  // What the server knows of the secrets comes back in its messages.
  socket.on('message', () => socket.send(`${request.url} ${request.headers['sec-websocket-protocol'] ?? ''}`))
})
let port = ''
beforeAll(() => {
  port = String((server.address() as AddressInfo).port)
})
afterAll(() => {
  for (const socket of server.clients) socket.terminate()
  server.close()
})

function expectClean({ folder }: RecordedProgram): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.mjs')) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'latin1')
    for (const secret of Object.values(SECRETS)) {
      expect(text, `${entry.name} ${secret}`).not.toContain(secret)
      const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '')
      expect(text, `${entry.name} ${encoded}`).not.toContain(encoded)
    }
  }
}

const ASK = `import { WebSocket } from ${JSON.stringify(import.meta.resolve('ws'))}
const { PORT, URL_TOKEN, HEADER_TOKEN, COOKIE_VALUE, PROTOCOL_KEY } = process.env
const ask = (path, protocols) => new Promise((resolve) => { const socket = new WebSocket('ws://127.0.0.1:' + PORT + path, protocols, { headers: { authorization: 'Bearer ' + HEADER_TOKEN, cookie: 'sid=' + COOKIE_VALUE } })
  socket.on('open', () => socket.send('who am I')).on('message', (data) => { console.log(String(data).length > 3); socket.close() }).on('close', resolve).on('error', resolve) })
`

test('tokens in the address and the headers of a WebSocket', async () => {
  const program = await recordProgram(
    `${ASK} await ask('/live?token=' + URL_TOKEN, []); await ask('/' + URL_TOKEN + '/live', [])`,
    {
      ...SECRETS,
      PORT: port,
    },
  )
  expect(program.recorded).toMatchObject({ code: 0, stderr: '', stdout: 'true\ntrue\n' })
  expectClean(program)
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
  expectClean(program)
})

test('a key in a sub-protocol', async () => {
  const program = await recordProgram(`${ASK} await ask('/', ['realtime', 'api-key.' + PROTOCOL_KEY])`, {
    ...SECRETS,
    PORT: port,
  })
  expect(program.recorded).toMatchObject({ code: 0, stderr: '', stdout: 'true\n' })
  expectClean(program)
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe('true\n')
  expectClean(program)
})

const SERVER = `import http from 'node:http'; import { WebSocketServer } from ${JSON.stringify(import.meta.resolve('ws'))}
const server = http.createServer((request, response) => { let text = ''
  request.on('data', (bytes) => { text += bytes }).on('end', () => { console.log(request.method, request.url.length > 1, Object.keys(request.headers).sort().join(), text.length > 0); response.setHeader('set-cookie', 'theme=dark'); response.end('done') }) })
const sockets = new WebSocketServer({ server, perMessageDeflate: { threshold: 0 } }); sockets.on('connection', (socket) => socket.on('message', (data) => { socket.send('seen ' + (String(data).length > 3)); socket.close(); server.close() }))
server.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))
`

test('cookies, authorizations and tokens of incoming requests', async () => {
  const headers = {
    authorization: `Bearer ${SECRETS.HEADER_TOKEN}`,
    cookie: `sid=${SECRETS.COOKIE_VALUE}; theme=dark`,
    connection: 'close',
  }
  const program = await recordServer(SERVER, async (served) => {
    const base = `127.0.0.1:${served.port}`
    const send = (method: string, path: string, body?: string): Promise<void> =>
      new Promise((resolve, reject) => {
        http
          .request(`http://${base}${path}`, { method, headers }, (answer) =>
            answer.resume().on('close', resolve),
          )
          .on('error', reject)
          .end(body)
      })
    await send('GET', `/files?access_token=${SECRETS.URL_TOKEN}`)
    await send('POST', '/login', `token=${SECRETS.HEADER_TOKEN}&name=ada`)
    await new Promise((resolve) => {
      const socket = new WebSocket(`ws://${base}/live?token=${SECRETS.URL_TOKEN}`, { headers })
      // Known from the headers before: a mask of the protocol must not hide them.
      const text = `${SECRETS.HEADER_TOKEN} ${SECRETS.COOKIE_VALUE} `.repeat(40)
      socket.on('open', () => socket.send(text)).on('close', resolve)
    })
  })
  expect(program.recorded.stderr.replace(/PORT.*\n/, '')).toBe('')
  expectClean(program)
  const [message] = readFileSync(program.tape, 'utf8').match(/"direction":"in","message":"text",.*/g) ?? []
  expect(message).toMatch(/<redacted:[^>]*> <redacted:[^>]*> </)
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
})

test('passwords in the login forms of clients', async () => {
  const login = `import http from 'node:http'; import { scryptSync } from 'node:crypto'; import { gunzipSync } from 'node:zlib'
const server = http.createServer((request, response) => { const parts = []
  request.on('data', (bytes) => parts.push(bytes)).on('end', () => {
    const bytes = Buffer.concat(parts), text = String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes)
    const password = request.headers['content-type'].includes('json') ? JSON.parse(text).password : new URLSearchParams(text).get('password')
    console.log(request.url, password.length > 3); response.end(scryptSync(password, 'salt', 16).toString('hex'))
    if (request.url === '/last') server.close() }) })
server.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))
`
  const program = await recordServer(login, async ({ port }) => {
    const post = async (
      path: string,
      type: string,
      body: string | Uint8Array<ArrayBuffer>,
      encoding?: string,
    ): Promise<void> => {
      const headers = {
        'content-type': type,
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      }
      await (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })).text()
    }
    const json = JSON.stringify({ name: 'ada', password: SECRETS.COOKIE_VALUE })
    await post('/json', 'application/json', json)
    await post(
      '/packed',
      'application/json',
      gzipSync(json.replaceAll(SECRETS.COOKIE_VALUE, SECRETS.URL_TOKEN)),
      'gzip',
    )
    await post('/last', 'application/x-www-form-urlencoded', `name=ada&password=${SECRETS.HEADER_TOKEN}`)
  })
  expect(program.recorded.stdout).toBe('/json true\n/packed true\n/last true\n')
  expectClean(program)
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
})
