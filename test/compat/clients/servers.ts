/**
 * The servers that the clients of the compat tests talk to, each on a port of its own on loopback, with a
 * password of its own. `stop` ends the server and removes its files.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { WebSocketServer } from 'ws'
import { selfSigned } from '../../support/certificate.ts'
import { startPostgres } from '../../support/postgres.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startFakeMongo } from './fake-mongo.ts'
import { MODEL_KEY, startModelSockets } from './model-sockets.ts'

export type StartedServer = {
  /** For the recorded program; a replay has none of it. */
  readonly env: Readonly<Record<string, string>>
  /** What must not be on the tape. */
  readonly secrets: readonly string[]
  stop(): Promise<unknown>
}

const newPassword = (): string => `Pw-${randomBytes(12).toString('hex')}`

export async function postgresServer(): Promise<StartedServer> {
  const server = await startPostgres()
  const { port, password } = new URL(server.url)
  return { env: { PORT: port, DB_PASSWORD: password }, secrets: [password], stop: () => server.stop() }
}

export async function securePostgresServer(): Promise<StartedServer> {
  const { cert: certificate, key } = selfSigned()
  const server = await startPostgres({ tls: { certificate, key } })
  const { port, password } = new URL(server.url)
  return { env: { PORT: port, DB_PASSWORD: password }, secrets: [password], stop: () => server.stop() }
}

export async function modelServer(): Promise<StartedServer> {
  const { base, stop } = await startModelSockets()
  const env = { BASE: base, OPENAI_API_KEY: MODEL_KEY, NODE_NO_WARNINGS: '1' }
  return { env, secrets: [MODEL_KEY], stop }
}

export async function redisServer(): Promise<StartedServer> {
  const [port, password] = [await freePort(), newPassword()]
  const words = ['--port', port, '--bind', '127.0.0.1', '--requirepass', password, '--save', '']
  const stop = await startDaemon('redis-server', [...words, '--dir', tempFolder()], port)
  return { env: { PORT: port, DB_PASSWORD: password }, secrets: [password], stop }
}

export async function mariadbServer(): Promise<StartedServer> {
  const [port, password, folder] = [await freePort(), newPassword(), tempFolder()]
  const own = process.getuid?.() === 0 ? ['--user=root'] : []
  const data = `--datadir=${join(folder, 'data')}`
  const made = spawnSync('mariadb-install-db', ['--no-defaults', data, '--skip-test-db', ...own], {
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`no MariaDB for the tests: ${made.stdout}${made.stderr}`)
  const first = join(folder, 'first.sql')
  const user = `'agent'@'%' identified by '${password}'`
  writeFileSync(
    first,
    `create database work;\ncreate user ${user};\ngrant all on work.* to 'agent'@'%';\nflush privileges;\n`,
  )
  const words = ['--no-defaults', data, ...own, `--port=${port}`, '--bind-address=127.0.0.1']
  const stop = await startDaemon(
    'mariadbd',
    [...words, `--socket=${join(folder, 'own.sock')}`, `--init-file=${first}`],
    port,
  )
  return { env: { PORT: port, DB_PASSWORD: password }, secrets: [password], stop }
}

export async function smtpServer(packages: string): Promise<StartedServer> {
  const load = createRequire(join(packages, 'package.json'))
  const { SMTPServer } = load('smtp-server')
  const password = newPassword()
  const server = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: (
      auth: { password: string },
      _session: unknown,
      done: (error: Error | null, user?: object) => void,
    ) => (auth.password === password ? done(null, { user: 'agent' }) : done(new Error('wrong password'))),
    onData: (stream: NodeJS.ReadableStream, _session: unknown, done: (error: null, text: string) => void) => {
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      stream.on('end', () => done(null, bytes > 0 ? 'queued' : 'empty'))
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const base64 = Buffer.from(password).toString('base64')
  const plain = Buffer.from(`\0agent\0${password}`).toString('base64')
  return {
    env: { PORT: String(port), DB_PASSWORD: password },
    secrets: [password, base64, plain],
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

export async function mongoServer(packages: string): Promise<StartedServer> {
  const password = newPassword()
  const { port, stop } = await startFakeMongo(packages, 'agent', password)
  return { env: { PORT: String(port), DB_PASSWORD: password }, secrets: [password], stop }
}

/** Answers each message, and sends one that nobody asked for. */
export async function webSocketServer(): Promise<StartedServer> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true })
  await once(server, 'listening')
  server.on('connection', (socket, request) => {
    socket.send(`welcome ${request.headers['sec-websocket-protocol'] ?? ''}`)
    socket.on('message', (bytes, isBinary) => {
      if (isBinary) socket.send(bytes)
      else if (String(bytes) === 'close') socket.close(4000, 'asked for')
      else socket.send(String(bytes).toUpperCase())
    })
  })
  const token = randomBytes(16).toString('hex')
  const { port } = server.address() as AddressInfo
  return {
    env: { PORT: String(port), SERVICE_TOKEN: token },
    secrets: [token],
    stop: () => {
      for (const client of server.clients) client.terminate()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

export async function browserServer(): Promise<StartedServer> {
  const folder = tempFolder()
  const words = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-sync']
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage']
  const rules = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'
  const browser = spawn(
    'chromium',
    [...words, ...quiet, rules, '--remote-debugging-port=0', `--user-data-dir=${folder}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const closed = once(browser, 'close')
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    browser.stderr.on('data', (bytes) => {
      text += bytes
      const found = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
    void closed.then(() => reject(new Error(`no browser for the tests: ${text}`)))
  })
  return {
    env: { BROWSER: url },
    secrets: [],
    stop: () => {
      browser.kill()
      return closed
    },
  }
}

/** Starts a program in the foreground, and waits until its port answers. Returns what ends it. */
async function startDaemon(
  program: string,
  words: readonly string[],
  port: string,
): Promise<() => Promise<unknown>> {
  const log = join(tempFolder(), 'log')
  const child = spawn('sh', ['-c', 'exec "$0" "$@" >"$LOG" 2>&1', program, ...words], {
    stdio: 'ignore',
    env: { ...process.env, LOG: log },
  })
  const closed = once(child, 'close')
  let isOver = false
  void closed.then(() => {
    isOver = true
  })
  while (!(await answers(port)))
    if (isOver) throw new Error(`${program} did not start: ${readFileSync(log, 'utf8')}`)
  return () => {
    child.kill('SIGTERM')
    return closed
  }
}

function answers(port: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(Number(port), '127.0.0.1')
    probe.once('error', () => setImmediate(resolve, false))
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
  })
}

function freePort(): Promise<string> {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(String(port)))
    })
  })
}
