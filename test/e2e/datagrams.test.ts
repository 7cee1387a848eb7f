/** Datagrams of a program: recorded with a peer, replayed without it. */
import dgram from 'node:dgram'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const peer = dgram.createSocket('udp4')
let received = 0
peer.on('message', (bytes, { port, address }) => {
  received += 1
  peer.send(`echo ${bytes}`, port, address)
  if (String(bytes) === 'twice') peer.send(Buffer.from([0, 1, 2, 255]), port, address)
})
let port = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => peer.bind(0, '127.0.0.1', resolve))
  port = String(peer.address().port)
})
afterAll(() => new Promise<void>((resolve) => peer.close(resolve)))

const HEAD = `import dgram from 'node:dgram'; import { once } from 'node:events'; const PORT = Number(process.env.PORT)
const show = (...values) => console.log(...values.map((value) => value instanceof Error ? value.code + ' ' + value.message : typeof value === 'string' ? value : JSON.stringify(value)))
const attempt = (body) => { try { return body() } catch (error) { return error.code + ' ' + error.message } }
const hear = (socket) => socket.on('message', (bytes, peer) => show('message', bytes.toString('latin1'), peer)).on('error', (error) => show('error', error)).on('listening', () => show('listening')).on('close', () => show('close'))
`
const PROGRAMS: Readonly<Record<string, string>> = {
  'a socket that is bound': `
    const socket = hear(dgram.createSocket({ type: 'udp4', reuseAddr: true })); show(attempt(() => socket.address()))
    socket.bind(0, '127.0.0.1', () => show('bound', socket.address())); await once(socket, 'listening'); show(attempt(() => socket.bind(0)))
    socket.send('one', PORT, '127.0.0.1', (error, bytes) => show('sent', error, bytes)); await once(socket, 'message')
    socket.send(Buffer.from('xtwicex'), 1, 5, PORT, '127.0.0.1'); await once(socket, 'message'); await once(socket, 'message')
    socket.send(['a', Buffer.from('b')], PORT); await once(socket, 'message'); socket.close(); show(attempt(() => socket.send('x', PORT)))`,
  'a socket that only sends': `
    const socket = hear(dgram.createSocket('udp4')); socket.send('one', PORT); await once(socket, 'message'); show(socket.address().port > 0); socket.close()`,
  'a socket that is connected': `
    const socket = hear(dgram.createSocket('udp4')); show(attempt(() => socket.remoteAddress()))
    socket.connect(PORT, '127.0.0.1', () => show('connected', socket.remoteAddress())); await once(socket, 'connect'); show(attempt(() => socket.connect(PORT)), attempt(() => socket.send('x', 0, 1, PORT, '127.0.0.1')))
    socket.send('one', (error) => show('sent', error)); await once(socket, 'message'); socket.send(Buffer.from('two!'), 0, 3); await once(socket, 'message')
    socket.disconnect(); show(attempt(() => socket.disconnect())); socket.close()`,
  'options and groups': `
    const socket = hear(dgram.createSocket({ type: 'udp4', reuseAddr: true })); socket.bind(0, '0.0.0.0'); await once(socket, 'listening')
    show(attempt(() => socket.setBroadcast(true)), attempt(() => socket.addMembership('239.1.2.3', '127.0.0.1')), attempt(() => socket.addMembership('10.0.0.1')), attempt(() => socket.dropMembership('239.1.2.3', '127.0.0.1')))
    show(attempt(() => socket.setTTL(7)), attempt(() => socket.setTTL(0)), attempt(() => socket.getRecvBufferSize() > 0), attempt(() => socket.setMulticastTTL(3))); socket.unref().ref(); socket.close()`,
  'a socket that does not keep the process alive, from before its first datagram on': `
    const socket = dgram.createSocket('udp4'); show(socket.unref() === socket); socket.send('one', PORT, '127.0.0.1'); show('end')`,
  errors: `
    const socket = hear(dgram.createSocket('udp4')); show(attempt(() => socket.send('x', 99999))); show(attempt(() => socket.send(7, PORT)))
    socket.send('x', PORT, 'missing.invalid', (error) => { show('sent', error.syscall); socket.close() })
    const taken = hear(dgram.createSocket('udp4')); taken.bind(PORT, '127.0.0.1'); await once(taken, 'error').catch(() => {}); taken.close()`,
}

describe.each(Object.entries(PROGRAMS))('%s', (_what, source) => {
  test('replays without its peer', async () => {
    const program = await recordProgram(HEAD + source, { PORT: port })
    expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
    expect(program.recorded.stdout).not.toBe('')
    const before = received
    const { report, stdout, stderr, code } = await program.replay()
    expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
    expect({ stdout, stderr, code }).toEqual({ stdout: program.recorded.stdout, stderr: '', code: 0 })
    expect(received).toBe(before)
  })
})

test('another datagram diverges, shows both, and is not sent', async () => {
  const source = `${HEAD} const socket = hear(dgram.createSocket('udp4')); socket.send('one', PORT); await once(socket, 'message'); socket.close()`
  const program = await recordProgram(source, { PORT: port })
  const before = received
  program.change(source.replace("send('one'", "send('other'"))
  const { report, code } = await program.replay()
  expect({ code, verdict: report.verdict }).toEqual({ code: 2, verdict: 'diverged' })
  expect(JSON.stringify(report.divergences)).toMatch(/one.*other/)
  expect(received).toBe(before)
})
