/**
 * Servers of protocols that Reprise does not know, on loopback, and programs that talk to them: TCP, Unix sockets,
 * TLS, TLS over an open connection, and faults.
 */
import net, { type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import { selfSigned } from './certificate.ts'
import { tempFolder } from './temp-folder.ts'

const servers: net.Server[] = []
const sockets = new Set<Socket>()
/** Ports and paths of the servers, for the programs. */
export const socketEnv: Record<string, string> = {}

async function add(name: string, server: net.Server, path?: string): Promise<void> {
  servers.push(server)
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => {
    if (path === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(path, resolve)
  })
  socketEnv[name] = path ?? String((server.address() as AddressInfo).port)
}

const lines = (socket: Socket, each: (line: string) => void): void => {
  let text = ''
  socket.on('data', (bytes) => {
    text += String(bytes)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
      each(text.slice(0, at))
      text = text.slice(at + 1)
    }
  })
}

/** Answers each line; some lines ask for a fault. */
function command(socket: Socket): void {
  lines(socket, (line) => {
    if (line === 'reset') socket.resetAndDestroy()
    else if (line === 'half') socket.write('half of a mess', () => socket.resetAndDestroy())
    else if (line === 'end') socket.end('bye\n')
    else if (line.startsWith('big ')) socket.write(Buffer.alloc(Number(line.slice(4)), 'x'))
    else socket.write(`[${line}]\n`)
  })
}

export async function startSocketServers(): Promise<void> {
  const certificate = selfSigned()
  await add('LINES', net.createServer(command))
  await add('LOCAL', net.createServer(command), join(tempFolder(), 'local.sock'))
  await add(
    'GREETS',
    net.createServer((socket) => {
      socket.write('220 ready\n')
      command(socket)
    }),
  )
  await add(
    'HALF_OPEN',
    net.createServer({ allowHalfOpen: true }, (socket) => {
      let received = 0
      socket.on('data', (bytes) => {
        received += bytes.length
      })
      socket.on('end', () => socket.end(`received ${received}`))
    }),
  )
  await add(
    'TLS',
    tls.createServer(certificate, (socket) => command(socket)),
  )
  await add(
    'STARTTLS',
    net.createServer((plain) => {
      plain.once('data', () => {
        plain.write('S')
        const secure = new tls.TLSSocket(plain, { isServer: true, ...certificate })
        command(secure.on('error', () => undefined))
      })
    }),
  )
  await add(
    'PROXY',
    net.createServer((client) => {
      client.once('data', (bytes) => {
        const target = /^CONNECT \S+:(\d+) /.exec(String(bytes))?.[1]
        const server = net.connect(Number(target), '127.0.0.1', () => {
          client.write('HTTP/1.1 200 Connection established\r\n\r\n')
          client.pipe(server).pipe(client)
        })
        server.on('error', () => client.destroy())
        client.on('error', () => server.destroy())
      })
    }),
  )
  socketEnv.CERTIFICATE = certificate.cert
}

export async function stopSocketServers(): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
}

export const SOCKET_HEAD = `import net from 'node:net'; import tls from 'node:tls'; import { once } from 'node:events'
const { env } = process
const said = (...values) => console.log(...values.map((value) => value instanceof Error ? value.code + ' ' + value.message : String(value)))
const hear = (socket, name = '') => socket.on('data', (bytes) => said(name, 'data', JSON.stringify(String(bytes))))
  .on('end', () => said(name, 'end')).on('error', (error) => said(name, 'error', error)).on('close', (failed) => said(name, 'close', failed))
`

export const SOCKET_PROGRAMS: Readonly<Record<string, string>> = {
  'a connection in another protocol': `
    const socket = hear(net.connect(env.LINES, '127.0.0.1', () => said('connected', socket.remoteAddress, socket.remotePort, socket.localPort > 0, socket.readyState)))
    socket.setNoDelay(true).setKeepAlive(true, 1000)
    socket.write('one\\n'); socket.write('two\\n', () => said('written'))
    await once(socket, 'data'); socket.end('three\\n'); await once(socket, 'close'); said(socket.bytesRead, socket.bytesWritten)`,
  'a socket connected by hand': `
    const socket = hear(new net.Socket()); socket.setTimeout(60000)
    socket.connect(Number(env.LINES), '127.0.0.1', () => said('connected', socket instanceof net.Socket, socket.remotePort, socket.timeout))
    socket.write('one\\n'); await once(socket, 'data'); socket.end(); await once(socket, 'close'); said(socket.bytesRead)`,
  'a socket connected twice': `
    const socket = hear(new net.Socket())
    for (const line of ['one', 'two']) { socket.connect(Number(env.LINES), '127.0.0.1'); await once(socket, 'connect'); socket.write(line + '\\n'); await once(socket, 'data'); socket.destroy(); await once(socket, 'close') }`,
  'a server that speaks first': `
    const socket = hear(net.connect(env.GREETS, '127.0.0.1')); await once(socket, 'data'); socket.end('quit\\n'); await once(socket, 'close')`,
  'a Unix socket': `
    const socket = hear(net.connect(env.LOCAL)); socket.write('one\\n'); await once(socket, 'data'); socket.destroy()`,
  'text that begins like a request': `
    const socket = hear(net.connect(env.LINES, '127.0.0.1')); socket.write('GET key\\n'); await once(socket, 'data'); socket.end()`,
  'a server that refuses': `
    hear(net.connect(1, '127.0.0.1')); await 0; hear(new net.Socket().connect(1, '127.0.0.1'), 'by hand')`,
  'a server that resets': `
    const socket = hear(net.connect(env.LINES, '127.0.0.1')); socket.write('one\\n'); await once(socket, 'data'); socket.write('reset\\n')`,
  'a reset in the middle of a message': `
    const socket = hear(net.connect(env.LINES, '127.0.0.1')); socket.write('half\\n')`,
  'a server that ends': `
    const socket = hear(net.connect(env.LINES, '127.0.0.1')); socket.write('end\\n')`,
  'one side that stays open': `
    const socket = hear(net.connect({ port: env.HALF_OPEN, host: '127.0.0.1', allowHalfOpen: true })); socket.write('12345'); socket.end('678')`,
  'a socket that idles': `
    const socket = hear(net.connect(env.LINES, '127.0.0.1')); socket.write('one\\n'); await once(socket, 'data'); socket.setTimeout(30, () => { said('idle'); socket.destroy() })`,
  'many connections at once': `
    await Promise.all(Array.from({ length: 20 }, async (_, n) => { const socket = net.connect(env.LINES, '127.0.0.1')
      for (let turn = 0; turn < 5; turn += 1) { socket.write(n + ':' + turn + '\\n'); const [bytes] = await once(socket, 'data'); said(n, String(bytes).trim()) }
      socket.destroy() }))`,
  TLS: `
    const socket = hear(tls.connect({ port: Number(env.TLS), host: '127.0.0.1', servername: 'localhost', ca: env.CERTIFICATE }, () => said('secure', socket.authorized, socket.getProtocol())))
    socket.write('one\\n'); await once(socket, 'data'); socket.end(); await once(socket, 'close')`,
  'a certificate that is not trusted': `
    hear(tls.connect({ port: Number(env.TLS), host: '127.0.0.1', servername: 'localhost' }))`,
  'a server that speaks no TLS': `
    hear(tls.connect({ port: Number(env.GREETS), host: '127.0.0.1' }))`,
  'TLS over an open connection': `
    const plain = new net.Socket().connect(Number(env.STARTTLS), '127.0.0.1'); plain.write('\\0tls?')
    said(String((await once(plain, 'data'))[0]))
    const socket = hear(tls.connect({ socket: plain, servername: 'localhost', ca: env.CERTIFICATE })); plain.on('close', () => said('plain closed'))
    await once(socket, 'secureConnect'); said(socket.authorized); socket.write('one\\n'); await once(socket, 'data'); socket.end(); await once(socket, 'close')`,
  'TLS through a proxy': `
    import('node:http').then(({ default: http }) => http.request({ port: env.PROXY, host: '127.0.0.1', method: 'CONNECT', path: 'localhost:' + env.TLS })
      .on('connect', (response, plain) => { said(response.statusCode)
        const socket = hear(tls.connect({ socket: plain, host: 'localhost', port: Number(env.TLS), servername: 'localhost', ca: env.CERTIFICATE }))
        socket.write('one\\n'); socket.once('data', () => socket.end()) }).end())`,
  'more than the peer takes at once': `
    const socket = net.connect({ port: env.HALF_OPEN, host: '127.0.0.1', allowHalfOpen: true }); let waits = 0
    const piece = Buffer.alloc(200_000, 'y')
    for (let n = 0; n < 40; n += 1) if (!socket.write(piece)) { waits += 1; await once(socket, 'drain') }
    socket.end(); said(waits > 0, String((await once(socket, 'data'))[0]))`,
  'more than the reader takes at once': `
    const socket = net.connect(env.LINES, '127.0.0.1'); socket.write('big 5000000\\n'); let bytes = 0, pieces = 0
    for await (const piece of socket) { bytes += piece.length; pieces += 1; await new Promise((done) => setTimeout(done, 1)); if (bytes === 5000000) break }
    said(bytes, pieces)`,
}
