/** A connection in a protocol that Reprise does not know; sockets.ci.test.ts has many more programs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'
import { SOCKET_HEAD, socketEnv, startSocketServers, stopSocketServers } from '../support/socket-servers.ts'

beforeAll(startSocketServers)
afterAll(stopSocketServers)

test('bytes, a server that speaks first, and TLS over an open connection replay without a server', async () => {
  const program = await recordProgram(
    `${SOCKET_HEAD} const socket = hear(new net.Socket().connect(Number(env.GREETS), '127.0.0.1')); await once(socket, 'data')
    socket.write('one\\n'); await once(socket, 'data'); socket.end(); await once(socket, 'close'); said(socket.bytesRead)
    const plain = net.connect(Number(env.STARTTLS), '127.0.0.1'); plain.write('\\0tls?'); await once(plain, 'data')
    const secure = hear(tls.connect({ socket: plain, servername: 'localhost', ca: env.CERTIFICATE }))
    secure.write('two\\n'); await once(secure, 'data'); secure.end('end\\n'); await once(secure, 'close')`,
    socketEnv,
  )
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout).toContain('[two]')
  const { report, stdout, code } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect({ stdout, code }).toEqual({ stdout: program.recorded.stdout, code: 0 })
})

test('a connection that nobody reads ends when the other side ends, on both sides', async () => {
  const program = await recordProgram(`
    import net from 'node:net'
    const server = net.createServer((socket) => {
      socket.on('end', () => console.log('end of the server'))
      socket.end('bye')
    })
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      const socket = net.connect(port, '127.0.0.1').on('data', (bytes) => console.log(String(bytes)))
      socket.on('close', () => server.close(() => console.log('closed')))
    })`)
  expect(program.recorded).toMatchObject({ code: 0, stdout: 'bye\nend of the server\nclosed\n' })
  const { report, stdout } = await program.replay()
  expect([report.verdict, stdout]).toEqual(['faithful', program.recorded.stdout])
})

test('sockets that read into a buffer of the program', async () => {
  const program = await recordProgram(`
    import net from 'node:net'
    const server = net.createServer((socket) => { socket.write('first of '); socket.once('data', () => socket.end('all')) })
    server.listen(0, '127.0.0.1', async () => {
      const { port } = server.address(), host = '127.0.0.1'
      const closed = (socket) => new Promise((done) => socket.on('end', () => console.log('end')).on('close', done))
      let socket, read = 0
      const callback = (length, buffer) => {
        console.log(length, Buffer.from(buffer.subarray(0, length)).toString())
        read += length
        if (read === 'first of '.length) socket.write('all of it is read')
      }
      socket = net.connect({ port, host, onread: { buffer: Buffer.alloc(64), callback } })
      await closed(socket)
      read = 0
      const waiting = (length, buffer) => { callback(length, buffer); setTimeout(() => socket.resume(), 5); return false }
      socket = new net.Socket({ onread: { buffer: () => Buffer.alloc(4), callback: waiting } }).connect(port, host)
      await closed(socket)
      server.close()
    })`)
  const pieces = ['4 firs', '4 t of', '1  ', '3 all', 'end', '']
  expect(program.recorded).toMatchObject({
    code: 0,
    stdout: ['9 first of ', '3 all', 'end', ...pieces].join('\n'),
  })
  const { report, stdout } = await program.replay()
  expect([report.verdict, stdout]).toEqual(['faithful', program.recorded.stdout])
})

test('a reset reaches the other side as a reset, from either side', async () => {
  const program = await recordProgram(`
    import http from 'node:http'
    import net from 'node:net'
    const print = (who) => ({ code, message }) => console.log(who, code, message)
    const server = net.createServer((socket) => {
      socket.on('error', print('server'))
      socket.on('data', (bytes) => { if (String(bytes) === 'reset') socket.resetAndDestroy(); else socket.write('half of a') })
    }).listen(0, '127.0.0.1', async () => {
      const open = () => net.connect(server.address().port, '127.0.0.1').on('error', print('client'))
      const one = open(); one.write('reset'); await new Promise((done) => one.on('close', done))
      const two = open(); two.write('send'); two.on('data', () => two.resetAndDestroy()); await new Promise((done) => two.on('close', done))
      const ask = http.get({ port: server.address().port, host: '127.0.0.1', path: '/', agent: false }); ask.on('error', print('request'))
      ask.on('socket', (socket) => socket.on('data', () => socket.resetAndDestroy()))
      ask.on('close', () => server.close(() => console.log('closed')))
    })`)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  for (const line of [
    'client ECONNRESET read ECONNRESET',
    'server ECONNRESET read ECONNRESET',
    'request HPE_INVALID_CONSTANT',
  ])
    expect(program.recorded.stdout).toContain(line)
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
})

test('bytes that a program sends and then lets go of the connection, in one turn', async () => {
  const source = `${SOCKET_HEAD} const socket = net.connect(Number(env.LINES), '127.0.0.1'); await once(socket, 'connect')
    socket.write('last\\n'); socket.destroy(); await once(socket, 'close')
    const other = net.connect(Number(env.LINES), '127.0.0.1'); other.write('one\\n'); said(String(await once(other, 'data'))); other.destroy()`
  const program = await recordProgram(source, socketEnv)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect((await program.replay()).report).toMatchObject({ verdict: 'faithful', divergences: [] })
  program.change(source.replace("'last", "'lost"))
  const { report, code } = await program.replay()
  expect({ code, verdict: report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  expect(JSON.stringify(report.divergences)).toMatch(/last.*lost/)
})

test('a target that Node rejects throws in a replay, too', async () => {
  const program = await recordProgram(`${SOCKET_HEAD}
    const targets = [{ port: 99999 }, { port: 'abc' }, {}, { path: 5 }, { port: 1, localAddress: 'nowhere' }, { port: 1, localPort: 'x' }]
    for (const target of targets) for (const open of [net.connect, tls.connect, (options) => new net.Socket().connect(options)])
      try { open(target); said('opened') } catch (error) { said(error) }
    hear(net.connect({ port: '1', host: '127.0.0.1', localAddress: '127.0.0.1' }))`)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout).not.toContain('opened')
  expect(program.recorded.stdout).toContain('ERR_SOCKET_BAD_PORT')
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
})

test('a program that ends after it has sent what could begin a secret', async () => {
  const source = `${SOCKET_HEAD} const socket = net.connect(Number(env.GREETS), '127.0.0.1'); said(String((await once(socket, 'data'))[0]))
    socket.write('and sk-pro'); setTimeout(() => process.exit(0), 20)`
  const program = await recordProgram(source, socketEnv)
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
  expect(stdout).toBe(program.recorded.stdout)
  program.change(source.replace('sk-pro', 'sk-pra'))
  const changed = await program.replay()
  expect([changed.code, changed.report.verdict]).toEqual([2, 'diverged'])
})

describe('a changed program', () => {
  const source = `${SOCKET_HEAD} const socket = hear(net.connect(env.LINES, '127.0.0.1'))
    socket.write('SELECT 1\\n'); await once(socket, 'data').catch(() => undefined); socket.destroy()`
  let program: RecordedProgram
  beforeAll(async () => {
    program = await recordProgram(source, socketEnv)
  })

  test.each([
    ['sends something else', source.replace('SELECT 1', 'SELECT 2'), 'SELECT 1', 'SELECT 2'],
    ['sends more', source.replace('SELECT 1', 'SELECT 1;'), 'SELECT 1', 'SELECT 1;'],
    [
      'connects elsewhere',
      source.replace('env.LINES', '9'),
      'socket tcp://127.0.0.1:',
      'socket tcp://127.0.0.1:9',
    ],
  ])('%s: both values are shown', async (_what, changed, expected, actual) => {
    program.change(changed)
    const { report, code } = await program.replay({ env: { ...process.env, ...socketEnv } })
    expect(code).toBe(2)
    expect(report.verdict).toBe('diverged')
    expect(JSON.stringify(report.divergences)).toContain(expected)
    expect(JSON.stringify(report.divergences)).toContain(actual)
  })

  test('sends less', async () => {
    program.change(source.replace("socket.write('SELECT 1\\n'); ", ''))
    const { report, code } = await program.replay()
    expect({ code, verdict: report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  })
})
