import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { RealSide } from './real-side.ts'

const opened: { destroy(): unknown }[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.destroy()
})

type Pair = {
  readonly socket: Socket
  readonly peer: Socket
  readonly side: RealSide
  readonly received: Buffer[]
}

async function pair(): Promise<Pair> {
  const server = net.createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
  const received: Buffer[] = []
  const side = new RealSide(socket, (bytes) => received.push(Buffer.from(bytes)))
  const [[peer]] = await Promise.all([once(server, 'connection'), once(socket, 'connect')])
  server.close()
  opened.push(socket, peer)
  side.readDirectly()
  return { socket, peer, side, received }
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}

test('bytes are read without the stream, and the end is reported by it', async () => {
  const { socket, peer, received } = await pair()
  let pushed = 0
  socket.on('data', () => {
    pushed += 1
  })
  peer.end('one')
  await once(socket, 'end')
  expect([String(Buffer.concat(received)), pushed]).toEqual(['one', 0])
})

test('nothing is read while it is stopped', async () => {
  const { peer, side, received } = await pair()
  side.read(false)
  peer.write('one')
  await new Promise((resolve) => peer.write('two', resolve))
  expect(received).toEqual([])
  side.read(true)
  await until(() => Buffer.concat(received).length === 6)
  expect(String(Buffer.concat(received))).toBe('onetwo')
})

test('bytes arrive in the order of the writes, before the end', async () => {
  const { socket, peer, side } = await pair()
  const parts: Buffer[] = []
  peer.on('data', (bytes: Buffer) => parts.push(bytes))
  for (const text of ['a', 'b', 'c']) side.write(Buffer.from(text))
  side.end()
  await once(peer, 'end')
  expect([String(Buffer.concat(parts)), socket.writableLength]).toEqual(['abc', 0])
})

test('a connection is drained when the peer has read what the system could not take', async () => {
  const { peer, side } = await pair()
  let read = 0
  const size = 32 * 1024 * 1024
  side.write(Buffer.alloc(size))
  side.write(Buffer.from('end'))
  let isDrained = false
  side.whenDrained(() => {
    isDrained = true
  })
  expect(isDrained).toBe(false)
  peer.on('data', (bytes: Buffer) => {
    read += bytes.length
  })
  await until(() => isDrained)
  await until(() => read === size + 3)
})

test('a write that fails is reported as by the stream of Node', async () => {
  const { socket, peer, side } = await pair()
  const closed = new Promise((resolve) => socket.on('close', resolve))
  let error: unknown = null
  socket.on('error', (each) => {
    error ??= each
  })
  side.read(false)
  peer.resetAndDestroy()
  await once(peer, 'close')
  // The first writes may still be taken by the system.
  while (!socket.destroyed) {
    side.write(Buffer.from('x'))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  expect(error).toMatchObject({
    syscall: 'write',
    message: expect.stringMatching(/^write E(PIPE|CONNRESET)$/),
  })
})

test('a socket that is handed over is read by its own stream again', async () => {
  const { peer, side, received } = await pair()
  const parts: Buffer[] = []
  const socket = side.handOver().on('data', (bytes) => parts.push(bytes))
  peer.end('for the next')
  await once(socket, 'end')
  expect([String(Buffer.concat(parts)), received]).toEqual(['for the next', []])
})
