/**
 * Calls over connections, to children and terminals, for the campaign `lies`: servers on loopback, and what a program does
 * with them. Each call sends its word and its value, and returns what came back.
 */
import { fork, spawn, spawnSync } from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import pty from '@lydell/node-pty'
import { WebSocketServer } from 'ws'
import { selfSigned } from './certificate.ts'
import { type NameServer, startNameServer } from './name-server.ts'
import { tempFolder } from './temp-folder.ts'

export type Sent = { readonly word: string; readonly value: number }

const ignore = (): void => undefined
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port
const textOf = ({ word, value }: Sent): string => `${word} ${value}\n`

export async function connectedSteps() {
  const folder = tempFolder()
  const closers: (() => void)[] = []
  const listen = async <T extends net.Server>(server: T, where: number | string = 0): Promise<T> => {
    const open = new Set<net.Socket>()
    server.on('connection', (socket: net.Socket) => void open.add(socket.on('error', ignore)))
    if (typeof where === 'string') server.listen(where)
    else server.listen(where, '127.0.0.1')
    await once(server, 'listening')
    closers.push(() => {
      for (const socket of open) socket.destroy()
      server.close()
    })
    return server
  }
  const echo = (socket: net.Socket): void =>
    void socket.on('error', ignore).on('data', (bytes) => socket.write(`[${bytes}]`))
  const certificate = selfSigned()
  const plain = await listen(net.createServer(echo))
  const path = join(folder, 'echo.sock')
  await listen(net.createServer(echo), path)
  const secure = await listen(tls.createServer(certificate, echo))
  const framed = http2.createServer()
  framed.on('stream', (stream, headers) => {
    stream.on('error', ignore).respond({ ':status': 200 })
    stream.end(`answer to ${headers[':path']}`)
  })
  await listen(framed as unknown as net.Server)
  // Calls the server of a program, from outside its session.
  const caller = await listen(
    http.createServer((request, response) => {
      response.setHeader('connection', 'close')
      http
        .get({ port: Number(request.url?.slice(1)), host: '127.0.0.1', agent: false, path: '/question' })
        .on('response', (answer) => answer.pipe(response))
        .on('error', (error) => response.end(String(error)))
    }),
  )
  const chat = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  chat.on('connection', (socket) => socket.on('message', (bytes) => socket.send(`[${bytes}]`)))
  await once(chat, 'listening')
  const datagrams = dgram.createSocket('udp4').bind(0, '127.0.0.1')
  datagrams.on('message', (bytes, { port }) => datagrams.send(`[${bytes}]`, port, '127.0.0.1'))
  await once(datagrams, 'listening')
  const names: NameServer = await startNameServer()
  const child = join(folder, 'child.mjs')
  writeFileSync(
    child,
    `process.once('message', (text) => process.send('[' + text + ']', () => process.disconnect()))`,
  )

  const overSocket = async (socket: net.Socket, sent: Sent): Promise<string> => {
    try {
      socket.write(textOf(sent))
      const [bytes] = await once(socket, 'data')
      return String(bytes)
    } finally {
      socket.on('error', ignore).destroy()
    }
  }

  const steps = {
    tcp: (sent: Sent) => overSocket(net.connect(portOf(plain), '127.0.0.1'), sent),
    unixSocket: (sent: Sent) => overSocket(net.connect(path), sent),
    tls: (sent: Sent) =>
      overSocket(tls.connect({ port: portOf(secure), host: '127.0.0.1', rejectUnauthorized: false }), sent),
    // By hand: packages keep random bytes for several masks, which a second session would not request.
    webSocket: async (sent: Sent) => {
      const request = http.request({ port: portOf(chat), host: '127.0.0.1', agent: false, headers: UPGRADE })
      const [, socket] = await once(request.end(), 'upgrade')
      try {
        socket.write(maskedText(textOf(sent)))
        const [bytes] = await once(socket, 'data')
        return String(bytes)
      } finally {
        socket.on('error', ignore).destroy()
      }
    },
    http2: async ({ word, value }: Sent) => {
      const session = http2.connect(`http://127.0.0.1:${portOf(framed)}`).on('error', ignore)
      try {
        const stream = session.request({ ':path': `/${word}/${value}` })
        let text = ''
        stream.setEncoding('utf8').on('data', (piece) => {
          text += piece
        })
        await once(stream, 'end')
        return text
      } finally {
        session.destroy()
      }
    },
    datagram: async (sent: Sent) => {
      const socket = dgram.createSocket('udp4')
      try {
        socket.send(textOf(sent), portOf(datagrams), '127.0.0.1')
        const [bytes] = await once(socket, 'message')
        return String(bytes)
      } finally {
        socket.on('error', ignore).close()
      }
    },
    resolver: ({ word, value }: Sent) => {
      const resolver = new dns.promises.Resolver()
      resolver.setServers([names.address])
      return resolver.resolve4(`${word}-${value}.example.test`)
    },
    served: async ({ word, value }: Sent) => {
      const server = http.createServer((_request, response) => response.end(`answer ${word} ${value}`))
      try {
        server.on('error', ignore).listen(0, '127.0.0.1')
        await once(server, 'listening')
        const called = await fetch(`http://127.0.0.1:${portOf(caller)}/${portOf(server)}`)
        return await called.text()
      } finally {
        server.closeAllConnections()
        server.close()
      }
    },
    stdin: async (sent: Sent) => {
      const process = spawn('cat')
      process.stdin.on('error', ignore).end(textOf(sent))
      const [[bytes]] = await Promise.all([once(process.stdout, 'data'), once(process, 'close')])
      return String(bytes)
    },
    message: async (sent: Sent) => {
      const process = fork(child, { stdio: 'ignore' })
      process.send(textOf(sent), ignore)
      const [[text]] = await Promise.all([once(process, 'message'), once(process, 'close')])
      return text
    },
    withheld: ({ word, value }: Sent) => {
      const { HOME, ...without } = process.env
      return spawnSync('true', [word], { env: value === 0 ? { ...without, HOME } : without }).status
    },
    terminal: async ({ word, value }: Sent) => {
      const terminal = pty.spawn('echo', [word, String(value)], {})
      let text = ''
      terminal.onData((piece) => {
        text += piece
      })
      await new Promise((resolve) => terminal.onExit(resolve))
      return text
    },
    terminalEnv: async ({ word, value }: Sent) => {
      const terminal = pty.spawn('true', [word], { env: { ...process.env, VALUE: String(value) } })
      const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve))
      return exitCode
    },
  }

  return {
    steps,
    async close(): Promise<void> {
      for (const close of closers) close()
      for (const client of chat.clients) client.terminate()
      chat.close()
      datagrams.close()
      await names.stop()
    },
  }
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'x3JJHMbDL1EzLkh9GBhXDw==',
}

/** A frame with a text of less than 126 bytes, as a client sends it. */
function maskedText(text: string): Buffer {
  const mask = Buffer.from([1, 2, 3, 4])
  const content = Buffer.from(text).map((byte, at) => byte ^ (mask[at % 4] ?? 0))
  return Buffer.concat([Buffer.from([0x81, 0x80 | content.length]), mask, content])
}
