/**
 * Servers of a recorded program: a real client outside while it is recorded; in a replay nothing listens and
 * nothing connects, and the program gets the same connections, requests and bytes in the same order.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import { describe, expect, test } from 'vitest'
import { allBytesOf } from '../support/all-bytes.ts'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { recordServer } from '../support/served-program.ts'

const pem = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/network/localhost-${name}.pem`, import.meta.url))

const announce = `
const announce = (server) => console.error('PORT ' + (server.address().port ?? 0) + ' PID ' + process.pid)
`

/** Prints every request; \`/stop\` ends it. */
const plain = `
import http from 'node:http'
${announce}
let n = 0
const server = http.createServer((req, res) => {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    n += 1
    console.log(n, req.method, req.url, JSON.stringify(Buffer.concat(chunks).toString()), req.httpVersion)
    res.setHeader('x-count', n)
    res.end(JSON.stringify({ n, at: Date.now(), random: Math.random() }))
    if (req.url === '/stop') res.on('finish', () => server.close(() => console.log('closed')))
  })
})
server.listen(0, '127.0.0.1', () => announce(server))
`

type Answer = { readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly body: string }

function request(
  options: http.RequestOptions & {
    readonly body?: string
    readonly ca?: Buffer
    readonly servername?: string
  },
  client: { request: typeof http.request } = http,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = client.request({ host: '127.0.0.1', ...options }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(options.body)
  })
}

/** Writes \`parts\` one after the other and gives what came back until the other side closes. */
function exchangeBytes(port: number, parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
    socket.write(parts.join(''))
  })
}

describe('a server of node:http', () => {
  test('replays requests, keep-alive and its end', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const program = await recordServer(plain, async ({ port }) => {
      await request({ port, path: '/a', agent })
      await request({ port, path: '/b', method: 'POST', body: 'b'.repeat(100_000), agent })
      const last = await request({ port, path: '/stop', agent })
      expect(last.headers['x-count']).toBe('3')
      agent.destroy()
    })
    expect(program.recorded.code).toBe(0)
    const replay = await program.replay()
    expect(replay).toMatchObject({
      code: 0,
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  })

  test('replays pipelined requests and a body in chunks', async () => {
    const program = await recordServer(plain, async ({ port }) => {
      const answers = await exchangeBytes(port, [
        'GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n',
        'POST /stop HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
      ])
      expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3)
    })
    const replay = await program.replay()
    expect(replay).toMatchObject({
      code: 0,
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
    expect(replay.stdout).toContain('3 POST /stop "abcde"')
  })

  test('reports another answer with both values', async () => {
    const program = await recordServer(plain, ({ port }) => request({ port, path: '/stop' }))
    program.change(plain.replace('random: Math.random()', 'random: Math.random(), more: 1'))
    const body = await program.replay()
    expect(body.code).toBe(2)
    expect(body.report.verdict).toBe('diverged')
    expect(JSON.stringify(body.report)).toContain('more')
    program.change(plain.replace("setHeader('x-count', n)", "setHeader('x-count', n + 1)"))
    const header = await program.replay()
    expect(header.code).toBe(2)
    expect(JSON.stringify(header.report)).toMatch(/x-count.*1.*x-count.*2/)
    program.change(plain.replace('n += 1', 'n += 1; res.statusCode = 500'))
    const status = await program.replay()
    expect(status.code).toBe(2)
    expect(status.stderr).toMatch(/200[\s\S]*500/)
  })

  test('writes no cookie and no authorization of a request to disk', async () => {
    const secrets = ['sid=4f9d8a7c6b5e4d3c', 'c29tZW9uZTpwYXNzd29yZCE', 'q7Wm2Zk9Lx4Tn8Rv']
    const source = plain.replace('req.url, JSON', 'req.headers.cookie?.length > 1, JSON')
    const program = await recordServer(source, async ({ port }) => {
      const headers = { cookie: secrets[0], authorization: `Basic ${secrets[1]}` }
      await request({ port, path: `/a?access_token=${secrets[2]}`, headers })
      await request({ port, path: '/stop', headers: { 'proxy-authorization': `Bearer ${secrets[2]}` } })
    })
    const bytes = allBytesOf(program.folder, /tape/)
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([])
    expect(await program.replay()).toMatchObject({ code: 0, report: { verdict: 'faithful' } })
  })

  test('replays an answer that the client cut off, and a reset', async () => {
    const source = `
import http from 'node:http'
${announce}
let closed = 0
const server = http.createServer((req, res) => {
  req.on('error', (error) => console.log('request', error.code))
  res.on('close', () => {
    console.log('close', req.url, res.writableFinished)
    closed += 1
    if (closed === 2) server.close(() => console.log('done'))
  })
  res.write('first')
})
server.listen(0, '127.0.0.1', () => announce(server))
`
    const program = await recordServer(source, async ({ port }) => {
      for (const end of ['destroy', 'resetAndDestroy'] as const)
        await new Promise<void>((resolve) => {
          const socket = net.connect(port, '127.0.0.1')
          socket.on('error', () => undefined)
          socket.on('close', () => resolve())
          socket.once('data', () => socket[end]())
          socket.write(`GET /${end} HTTP/1.1\r\nHost: a\r\n\r\n`)
        })
    })
    const replay = await program.replay()
    expect(replay).toMatchObject({
      code: 0,
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  })

  test('replays a program that calls its own server', async () => {
    const program = await recordProgram(`
import http from 'node:http'
const server = http.createServer((req, res) => {
  console.log(req.method, req.url)
  setTimeout(() => res.end('answer ' + req.url), 5)
})
server.listen(0, async () => {
  const { port } = server.address()
  const answers = await Promise.all(['/a', '/b', '/c'].map(async (path) => (await fetch('http://127.0.0.1:' + port + path)).text()))
  console.log(answers.join())
  server.closeAllConnections()
  server.close(() => console.log('closed'))
})
console.log(server.listening, server.address().port > 0)
`)
    expect(program.recorded.stdout).toContain('answer /a,answer /b,answer /c')
    const replay = await program.replay()
    expect(replay).toMatchObject({
      code: 0,
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  })

  test('ends again by the signal that ended it', async () => {
    const source = plain.replace("if (req.url === '/stop')", 'if (false)')
    const program = await recordServer(source, async ({ port, pid }) => {
      await request({ port, path: '/a' })
      process.kill(pid, 'SIGTERM')
    })
    const replay = await program.replay()
    expect(replay.stdout).toBe(program.recorded.stdout)
    expect([replay.code, replay.signal]).toEqual([program.recorded.code, program.recorded.signal])
    expect(replay.report.verdict).toBe('faithful')
  })

  test('gives the handler of a signal its turn', async () => {
    const source = `${plain}
process.on('SIGTERM', () => {
  console.log('stopping')
  server.close(() => process.exit(7))
  server.closeAllConnections()
})`
    const program = await recordServer(source, async ({ port, pid }) => {
      await request({ port, path: '/a' })
      process.kill(pid, 'SIGTERM')
    })
    expect(program.recorded.code).toBe(7)
    const replay = await program.replay()
    expect(replay).toMatchObject({
      code: 7,
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  })

  test('replays an address that is in use', async () => {
    const program = await recordProgram(`
import http from 'node:http'
const first = http.createServer().listen(0, '127.0.0.1', () => {
  const second = http.createServer()
  second.on('error', ({ code, syscall, message }) => {
    console.log(code, syscall, second.listening, message)
    first.close()
  })
  second.listen(first.address().port, '127.0.0.1')
})
`)
    expect(program.recorded.stdout).toContain('EADDRINUSE listen false')
    expect(await program.replay()).toMatchObject({
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  })
})

describe('other servers', () => {
  test('TLS is recorded above the encryption', async () => {
    const [key, cert] = [pem('key'), pem('cert')]
    const source = plain
      .replace(
        "import http from 'node:http'",
        "import https from 'node:https'\nimport { readFileSync } from 'node:fs'",
      )
      .replace(
        'http.createServer((',
        "https.createServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') }, (",
      )
      .replace('req.httpVersion', 'req.httpVersion, req.socket.encrypted, req.socket.getProtocol()')
    const program = await recordServer(
      source,
      async ({ port }) => {
        await request({ port, path: '/a', ca: cert, servername: 'localhost' }, https)
        await request({ port, path: '/stop', ca: cert, servername: 'localhost' }, https)
      },
      { files: { 'key.pem': key, 'cert.pem': cert } },
    )
    expect(program.recorded.stdout).toContain('true TLSv1.3')
    expect(await program.replay()).toMatchObject({
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  })

  test('a client of plain HTTP does not end a server with TLS', async () => {
    const files = { 'key.pem': pem('key'), 'cert.pem': pem('cert') }
    const source = `
import https from 'node:https'
import tls from 'node:tls'
import { readFileSync } from 'node:fs'
${announce}
tls.createSecureContext()
const server = https.createServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') })
server.once('tlsClientError', (error, socket) => {
  console.log(error.code, socket.destroyed, socket.writable)
  socket.on('close', () => server.close())
})
server.on('close', () => console.log('closed'))
server.listen(0, '127.0.0.1', () => announce(server))`
    const program = await recordServer(
      source,
      ({ port }) =>
        new Promise((resolve) => {
          const socket = net.connect(port, '127.0.0.1').on('error', () => undefined)
          socket.resume().on('close', resolve)
          socket.write('GET / HTTP/1.1\r\n\r\n')
        }),
      { files },
    )
    expect(program.recorded.stdout).toBe('ERR_SSL_HTTP_REQUEST true false\nclosed\n')
    expect(await program.replay()).toMatchObject({
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  })

  test('a server of node:net, with a client that closes its half', async () => {
    const source = `
import net from 'node:net'
${announce}
const server = net.createServer({ allowHalfOpen: true }, (socket) => {
  socket.write('hello\\n')
  socket.on('data', (chunk) => {
    console.log('data', chunk.toString())
    socket.write('got ' + chunk)
  })
  socket.on('end', () => {
    console.log('end')
    socket.end('bye\\n')
    server.close(() => console.log('closed'))
  })
})
server.listen(0, '127.0.0.1', () => announce(server))
`
    const program = await recordServer(source, async ({ port }) => {
      const text = await new Promise<string>((resolve, reject) => {
        const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        let received = ''
        socket.on('data', (chunk) => {
          received += chunk
          if (received === 'hello\n') socket.write('\x01\x02one')
          if (received.endsWith('one')) socket.end()
        })
        socket.on('end', () => resolve(received))
        socket.on('error', reject)
      })
      expect(text).toBe('hello\ngot \x01\x02onebye\n')
    })
    expect(await program.replay()).toMatchObject({
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
    program.change(source.replace("'bye\\n'", "'gone\\n'"))
    const changed = await program.replay()
    expect(changed.code).toBe(2)
    expect(changed.stderr).toMatch(/bye[\s\S]*gone/)
  })

  test('a server on a Unix socket', async () => {
    const source = plain.replace("server.listen(0, '127.0.0.1',", "server.listen('sock',")
    const program = await recordServer(source, ({ folder }) =>
      request({ socketPath: join(folder, 'sock'), path: '/stop' }),
    )
    expect(await program.replay()).toMatchObject({
      stdout: program.recorded.stdout,
      report: { verdict: 'faithful' },
    })
  })
})

type Kind = Readonly<Record<string, unknown>>

const kindsOf = (tape: string): readonly Kind[] =>
  readFileSync(tape, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line).kind ?? [])

describe('records of requests', () => {
  test('a request that came whole is one record, with its body, and each answer another', async () => {
    const program = await recordServer(plain, ({ port }) =>
      exchangeBytes(port, [
        'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
        'GET /stop HTTP/1.1\r\nHost: a\r\n\r\n',
      ]),
    )
    const kinds = kindsOf(program.tape)
    const requests = kinds.filter(({ kind }) => kind === 'server_request')
    expect(requests).toMatchObject([
      { target: '/a', body: { text: 'hello' } },
      { target: '/stop', body: { text: '' }, turn: 'same' },
    ])
    const connection = requests[0]?.of
    const ofConnection = kinds.filter(({ of }) => of === connection).map(({ kind }) => kind)
    expect(ofConnection).toEqual(['server_request', 'server_request', 'server_answer', 'server_answer'])
    expect((await program.replay()).report).toMatchObject({ verdict: 'faithful' })
  })

  test('a body with a secret has records of its own, and the program gets its length', async () => {
    const secret = `sk-ant-api03-${'k3Yw'.repeat(12)}`
    const program = await recordServer(plain, async ({ port }) => {
      const body = JSON.stringify({ note: `use ${secret}` })
      await request({ port, path: '/a', method: 'POST', body })
      await request({ port, path: '/stop' })
    })
    const [first, second] = kindsOf(program.tape).filter(({ kind }) => kind === 'server_request')
    expect(first).not.toHaveProperty('body')
    expect(second).toMatchObject({ body: { text: '' } })
    expect(allBytesOf(program.folder, /tape/)).not.toContain(secret)
    const replay = await program.replay()
    expect(replay.stdout).toContain('POST /a "{\\"note\\":\\"use <redacted:')
    expect(replay.report).toMatchObject({ verdict: 'faithful' })
  })

  test('a kept connection starts its idle limit once, however many requests it has', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const program = await recordServer(plain, async ({ port }) => {
      for (const path of ['/a', '/b', '/c', '/stop']) await request({ port, path, agent })
      agent.destroy()
    })
    const starts = kindsOf(program.tape).filter(({ key }) => String(key).startsWith('socket.setTimeout '))
    expect(starts).toHaveLength(1)
    expect((await program.replay()).report).toMatchObject({ verdict: 'faithful' })
  })

  test('a kept connection that stays idle is closed by the server, in the replay too', async () => {
    const source = `${plain}
server.keepAliveTimeout = 20
server.on('connection', (socket) => socket.on('close', () => console.log('connection closed')))
`
    const program = await recordServer(source, async ({ port }) => {
      await exchangeBytes(port, ['GET /a HTTP/1.1\r\nHost: a\r\n\r\n'])
      await request({ port, path: '/stop' })
    })
    expect(program.recorded.stdout).toContain('connection closed\n2 GET /stop')
    expect(kindsOf(program.tape).filter(({ kind }) => kind === 'timer_fire')).not.toHaveLength(0)
    const replay = await program.replay()
    expect(replay).toMatchObject({ stdout: program.recorded.stdout, report: { verdict: 'faithful' } })
  })
})

test('a server waits for a client that reads slowly, and its replay waits at the same places', async () => {
  const source = `
import http from 'node:http'
${announce}
const server = http.createServer(async (request, response) => {
  let waits = 0
  for (let n = 0; n < 60; n += 1)
    if (!response.write(Buffer.alloc(100_000, 'z'))) { waits += 1; await new Promise((done) => response.once('drain', done)) }
  response.end(() => { console.log('finish', waits); server.close() })
})
server.listen(0, '127.0.0.1', () => announce(server))
`
  const program = await recordServer(source, async ({ port }) => {
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject)
    })
    let bytes = 0
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length
      await new Promise((done) => setImmediate(done))
    }
    expect(bytes).toBe(6_000_000)
  })
  const records = readFileSync(program.tape, 'utf8')
  expect(records.match(/"kind":"completion"/g)).toHaveLength(5)
  const replay = await program.replay()
  expect(replay.report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(replay.stdout).toBe(program.recorded.stdout)
  program.change(source.replace("'z'", "'y'"))
  expect((await program.replay()).report.verdict).toBe('diverged')
})

test('inspect shows each request to a server and its answer, at its own time', async () => {
  const program = await recordServer(plain, async ({ port }) => {
    await request({ port, path: '/a', method: 'POST', body: 'hello' })
    await request({ port, path: '/stop' })
  })
  const { stdout } = await reprise(['inspect', program.tape])
  expect(stdout.match(/(?:request|answer) .*/g)).toEqual([
    'request POST /a',
    'answer 200 OK',
    'request GET /stop',
    'answer 200 OK',
  ])
})

test('a server that makes TLS itself of an open connection ends as it does without Reprise, with a gap', async () => {
  let answer = ''
  const program = await recordServer(
    `import fs from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
${announce}
const [key, cert] = ['key.pem', 'cert.pem'].map((name) => fs.readFileSync(name))
const server = net.createServer((socket) => socket.once('data', (bytes) => {
  console.log(String(bytes))
  socket.write('go')
  const secure = new tls.TLSSocket(socket, { isServer: true, secureContext: tls.createSecureContext({ key, cert }) })
  secure.once('data', (data) => { console.log(String(data)); secure.end('done'); server.close() })
}))
server.listen(0, '127.0.0.1', () => announce(server))`,
    ({ port }) =>
      new Promise<void>((resolve, reject) => {
        const socket = net.connect(port, '127.0.0.1', () => socket.write('starttls'))
        socket.on('error', reject).once('data', () => {
          const secure = tls.connect({ socket, ca: pem('cert'), servername: 'localhost' }, () =>
            secure.write('hello'),
          )
          secure.on('error', reject).on('close', () => resolve())
          secure.on('data', (data) => {
            answer += String(data)
          })
        })
      }),
    { files: { 'key.pem': pem('key'), 'cert.pem': pem('cert') } },
  )
  expect(answer).toBe('done')
  expect(program.recorded).toMatchObject({ code: 0, stdout: 'starttls\nhello\n' })
  expect(readFileSync(program.tape, 'utf8')).toContain('TLS that the program makes itself: connection 1')
  const { report } = await program.replay()
  expect(report.verdict).not.toBe('faithful')
})

test('bytes that a server sends and that could begin a secret, which the replay does not know', async () => {
  const program = await recordServer(
    `import net from 'node:net'
${announce}
const server = net.createServer((socket) => {
  let n = 0
  socket.on('data', (bytes) => setImmediate(() => {
    n += 1
    setImmediate(() => console.log(n, String(bytes)))
    socket.write(n === 2 ? 'Q7' : 'answer ' + n + ' Q7')
    if (n === 4) { socket.end('Q7'); server.close() }
  }))
})
server.listen(0, '127.0.0.1', () => announce(server))`,
    ({ port }) =>
      new Promise<void>((resolve, reject) => {
        const socket = net.connect(port, '127.0.0.1', () => socket.write('1'))
        let n = 1
        socket.on('data', () => {
          n += 1
          if (n <= 4) socket.write(String(n))
        })
        socket.on('error', reject).on('close', () => resolve())
      }),
    { env: { SOME_API_KEY: 'Q7-of-a-secret-9x8y7' } },
  )
  expect(program.recorded).toMatchObject({ code: 0, stdout: '1 1\n2 2\n3 3\n4 4\n' })
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
  expect(stdout).toBe(program.recorded.stdout)
})
