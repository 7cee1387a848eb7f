/**
 * Runs one throw-away Postgres server and takes it away again. Started by ./postgres.ts with the order as
 * JSON on argv; prints `{"port":n}` when the server takes connections. It lives exactly as long as its stdin:
 * when the test run ends in any way, also by SIGKILL, the pipe closes, and the server and its folder go.
 * Postgres refuses root, so as root everything is copied to a folder that the chosen user may enter.
 */
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** @type {{ native: string, temp: string, user: { uid: number, gid: number } | null, password: string, settings: Record<string, string>, tls: { certificate: string, key: string } | null }} */
const order = JSON.parse(process.argv[2] ?? '')
const folder = mkdtempSync(join(order.temp, 'reprise-pg-'))
/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()
let ending = false

process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
process.stdin.on('end', end).on('error', end).resume()

try {
  await serve()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
  end()
}

async function serve() {
  let native = order.native
  chmodSync(folder, 0o755)
  if (order.user !== null) {
    native = join(folder, 'native')
    cpSync(order.native, native, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !from.endsWith('.a'),
    })
    for (const program of ['initdb', 'postgres']) chmodSync(join(native, 'bin', program), 0o755)
  }
  const cluster = join(folder, 'cluster')
  mkdirSync(cluster, { mode: 0o700 })
  const files = {
    password: order.password,
    'server.crt': order.tls?.certificate,
    'server.key': order.tls?.key,
  }
  for (const [name, text] of Object.entries(files))
    if (text !== undefined) writeFileSync(join(folder, name), text, { mode: 0o600 })
  const names = Object.entries(files).flatMap(([name, text]) =>
    text === undefined ? [] : [join(folder, name)],
  )
  if (order.user !== null)
    for (const path of [folder, cluster, ...names]) chownSync(path, order.user.uid, order.user.gid)
  await done(
    run(join(native, 'bin', 'initdb'), [
      `--pgdata=${cluster}`,
      '--username=postgres',
      `--pwfile=${join(folder, 'password')}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ]),
  )
  await listen(native, cluster, 5)
}

/** The port was free a moment ago; if another program was faster, take the next one. */
async function listen(native, cluster, attempts) {
  const port = await freePort()
  const tls =
    order.tls === null
      ? {}
      : { ssl: 'on', ssl_cert_file: join(folder, 'server.crt'), ssl_key_file: join(folder, 'server.key') }
  const settings = {
    listen_addresses: '127.0.0.1',
    port: `${port}`,
    unix_socket_directories: folder,
    lc_messages: 'C',
    ...tls,
    ...order.settings,
  }
  const server = run(join(native, 'bin', 'postgres'), [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  let said = ''
  const ready = await new Promise((resolve) => {
    server.stderr?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-8192)
      if (said.includes('ready to accept connections')) resolve(true)
    })
    server.once('close', () => resolve(false))
  })
  if (ready) {
    server.once('close', () => process.exit())
    process.stdout.write(`${JSON.stringify({ port })}\n`)
  } else if (!ending && attempts > 1 && said.includes('could not bind'))
    await listen(native, cluster, attempts - 1)
  else throw new Error(`postgres did not start: ${said}`)
}

function run(program, words) {
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(order.user ?? {}),
  })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

function done(child) {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
    })
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(undefined) : reject(new Error(`initdb ended with ${code}: ${said}`)),
    )
  })
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** SIGINT is Postgres's fast shutdown: open connections are cut. */
function end() {
  ending = true
  if (children.size === 0) process.exit()
  for (const child of children) {
    child.once('close', () => process.exit())
    child.kill('SIGINT')
  }
}
