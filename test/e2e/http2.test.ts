/** Clients and servers of `node:http2`, recorded as frames and replayed without the other side. */
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'
import { recordServer } from '../support/served-program.ts'

const TOKEN = 'h2Tok3n-of-the-test-0815'
const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM } = http2.constants
const server = http2.createServer()
const sessions = new Set<http2.ServerHttp2Session>()
let env: Record<string, string> = {}

server.on('session', (session) => sessions.add(session))
server.on('sessionError', () => undefined)
server.on('stream', (stream, headers) => {
  const path = String(headers[':path']).split('?')[0]
  stream.on('error', () => undefined)
  if (path === '/echo') {
    let length = 0
    stream.on('data', (bytes: Buffer) => {
      length += bytes.length
    })
    stream.on('end', () => {
      stream.respond({ 'x-length': String(length) }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-checked': 'yes' }))
      stream.write('first ')
      stream.end('second')
    })
  } else if (path === '/reset') {
    stream.respond()
    stream.write('half', () => stream.close(NGHTTP2_CANCEL))
  } else if (path === '/calm') {
    stream.respond()
    stream.write('part', () => stream.session?.goaway(NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('slow down')))
  } else if (path === '/plain' || path === '/push' || path === '/leave') {
    if (path === '/push')
      stream.pushStream({ ':path': '/p' }, (_, pushed) => pushed.respond() ?? pushed.end('pushed'))
    stream.respond()
    stream.end('body')
    if (path === '/leave') stream.session?.close()
  } else if (path === '/open') stream.resume()
  else if (path === '/gone') stream.session?.destroy()
  else stream.end()
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  env = { URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, H2_TOKEN: TOKEN }
})
afterAll(async () => {
  for (const session of sessions) session.destroy()
  await new Promise((resolve) => server.close(resolve))
})

const CLIENT = `import http2 from 'node:http2'
const { URL: url, H2_TOKEN } = process.env
const open = () => { const session = http2.connect(url)
  session.on('connect', () => console.log('connected', session.alpnProtocol, session.socket.remoteAddress))
  session.on('goaway', (code, last, data) => console.log('goaway', code, last, String(data)))
  session.on('error', (error) => console.log('session', error.code, error.message)).on('close', () => console.log('closed')); return session }
const ask = (session, path, body) => new Promise((done) => {
  const stream = session.request({ ':path': path, ':method': 'POST', authorization: 'Bearer ' + H2_TOKEN })
  let text = ''
  stream.setEncoding('utf8').on('data', (data) => { text += data })
  stream.on('response', (headers) => console.log(path.split('?')[0], headers[':status'], headers['x-length'], headers.date))
  stream.on('trailers', (headers) => console.log(path.split('?')[0], 'trailers', headers['x-checked']))
  stream.on('error', (error) => console.log(path, error.code, error.message))
  stream.on('close', () => { console.log(path.split('?')[0], 'closed', stream.rstCode, text); done() })
  stream.end(body) })
`
const CALLS = `${CLIENT} const session = open()
await Promise.all([ask(session, '/echo?access_token=' + H2_TOKEN, 'one'), ask(session, '/echo', Buffer.alloc(300_000, 'x')), ask(session, '/echo', JSON.stringify({ key: H2_TOKEN }))])
console.log(await new Promise((done) => session.ping((error, ms, payload) => done([error, ms, payload.length]))))
session.close()`
const FAULTS = `${CLIENT}
const first = open(); await ask(first, '/reset'); await ask(first, '/calm')
await ask(open(), '/gone')
await ask(http2.connect('http://127.0.0.1:1').on('error', (error) => console.log(error.code, error.message)), '/nobody')`

async function expectFaithful(program: RecordedProgram): Promise<void> {
  const { report, stdout, code } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout, code }).toEqual({ stdout: program.recorded.stdout, code: 0 })
}

async function expectDiverged(program: RecordedProgram, texts: readonly string[]): Promise<void> {
  const { report, stderr, code } = await program.replay()
  expect({ code, verdict: report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  for (const text of texts) expect(stderr).toContain(text)
}

test('streams, trailers, pings and large bodies of a client', async () => {
  const program = await recordProgram(CALLS, env)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout).toContain('/echo closed 0 first second')
  const tape = readFileSync(program.tape, 'utf8')
  expect(tape).not.toContain(TOKEN)
  expect(tape).toContain('"frame":"headers","stream":1,"headers":[[":path","/echo?access_token=')
  await expectFaithful(program)

  program.change(CALLS.replace("'one'", "'two'"))
  await expectDiverged(program, ['"one"', '"two"'])
})

test('a program reads an answer after it has its head, and has events as without a recorder', async () => {
  const program = await recordProgram(
    `import http2 from 'node:http2'; import { once } from 'node:events'
    const session = http2.connect(process.env.URL)
    session.on('goaway', (code) => console.log('goaway', code)).on('error', ({ code }) => console.log(code)).on('close', () => console.log('closed'))
    session.on('stream', async (pushed) => { let text = ''; console.log(pushed.closed); for await (const part of pushed) text += part; console.log(text) })
    for (const path of ['/plain', '/push', '/leave']) { const stream = session.request({ ':path': path }), [head] = await once(stream, 'response')
      console.log(head[':status'], stream.closed); let text = ''; for await (const part of stream) text += part; console.log(text) }`,
    env,
  )
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const lines = program.recorded.stdout.trim().split('\n')
  expect(lines.filter((line) => line === '200 false' || line === 'false' || line === 'pushed')).toHaveLength(
    5,
  )
  expect(lines.filter((line) => ['body', 'goaway 0', 'closed'].includes(line))).toHaveLength(5)
  await expectFaithful(program)
})

test('a client makes the table for the headers of its server smaller', async () => {
  const program = await recordProgram(
    `${CLIENT} const session = open(); await ask(session, '/echo', 'one')
    session.settings({ headerTableSize: 1000, maxFrameSize: 20_000 }); await new Promise((done) => session.once('localSettings', done))
    await ask(session, '/echo', 'two'); session.settings({ headerTableSize: 0 }); await new Promise((done) => session.once('localSettings', done))
    await ask(session, '/echo', 'three'); session.close()`,
    env,
  )
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout.match(/\/echo closed 0 first second/g)).toHaveLength(3)
  await expectFaithful(program)
})

test('a reset in the middle, a goaway, a lost connection and a refused one', async () => {
  const program = await recordProgram(FAULTS, env)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  for (const text of ['/reset closed 8', 'goaway 11', 'slow down', 'ERR_HTTP2_SESSION_ERROR', 'ECONNREFUSED'])
    expect(program.recorded.stdout).toContain(text)
  await expectFaithful(program)
})

const SERVER = `import http2 from 'node:http2'
const server = http2.createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (data) => { body += data }).on('end', () => {
    console.log(request.method, request.url, body, request.httpVersion, request.socket.remoteAddress)
    if (request.url === '/b') { request.stream.respond(); request.stream.end('answer without headers') }
    else { response.setHeader('x-served', 'yes'); response.end('answer to ' + request.url) }
    if (request.url === '/last') { server.close(); for (const session of sessions) session.close() } }) })
const sessions = new Set()
server.on('session', (session) => sessions.add(session))
server.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))
server.on('close', () => console.log('closed'))`

test('requests to a server, and another answer', async () => {
  const program = await recordServer(SERVER, async ({ port }) => {
    const session = http2.connect(`http://127.0.0.1:${port}`)
    session.on('error', () => undefined)
    const ask = (path: string, body: string): Promise<void> =>
      new Promise((resolve) => {
        const stream = session.request({ ':path': path, ':method': 'POST', cookie: `sid=${TOKEN}` })
        stream.resume().on('close', resolve)
        stream.end(body)
      })
    await Promise.all([ask('/a', 'one'), ask('/b', 'two')])
    await ask('/last', 'three')
  })
  expect(program.recorded.stdout).toContain('POST /a one 2.0 127.0.0.1')
  expect(readFileSync(program.tape, 'utf8')).not.toContain(TOKEN)
  await expectFaithful(program)

  program.change(SERVER.replace('answer to', 'reply to'))
  await expectDiverged(program, ['answer to', 'reply to'])
})

test('which bytes of a stream the scrubber holds back, because a secret could begin there, does not matter', async () => {
  const source = `import http2 from 'node:http2'
const session = http2.connect(process.env.URL)
const stream = session.request({ ':path': '/echo', ':method': 'POST' })
let text = ''
stream.setEncoding('utf8').on('data', (data) => { text += data })
stream.on('close', () => { console.log(text); session.close() })
stream.write('ask for abc', () => setTimeout(() => stream.end('def'), 5))`
  const program = await recordProgram(source, env)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const held = { ...env, OTHER_API_KEY: 'abc-Th1s-b3gins-as-the-data-ends' }
  const replay = await program.replay({ env: { ...process.env, ...held } })
  expect(replay).toMatchObject({ stdout: program.recorded.stdout, report: { verdict: 'faithful' } })
})

test('a program that ends with an open stream, after it has sent what could begin a secret', async () => {
  const source = `import http2 from 'node:http2'
    const stream = http2.connect(process.env.URL).request({ ':path': '/open', ':method': 'POST' }); stream.write('text sk-')
    setTimeout(() => { stream.write('pro'); setTimeout(() => process.exit(0), 20) }, 20)`
  const program = await recordProgram(source, env)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(program.tape, 'utf8')).toContain('"sk-pro"')
  const { report } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
  program.change(source.replace("'pro'", "'pra'"))
  const changed = await program.replay()
  expect([changed.code, changed.report.verdict]).toEqual([2, 'diverged'])
})

test.each([
  ['a part of it', 'abc h2T'],
  ['all of it', 'h2T'],
])('a stream that is reset after it has sent what could begin a secret: %s', async (_, body) => {
  const program = await recordProgram(
    `${CLIENT} const session = open()
    const stream = session.request({ ':path': '/open', ':method': 'POST' }).on('error', () => undefined)
    stream.write(${JSON.stringify(body)})
    await new Promise((done) => session.ping(done))
    setImmediate(() => stream.close(http2.constants.NGHTTP2_CANCEL))
    await new Promise((done) => stream.on('close', done))
    console.log(stream.rstCode)
    session.close()`,
    env,
  )
  expect(program.recorded).toMatchObject({ code: 0 })
  await expectFaithful(program)
})
