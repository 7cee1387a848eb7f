/**
 * Durable writes of agent state, against the least that each medium allows and against its peers. All
 * candidates write the same text of 2 KB to eight keys in turn. Disks are uneven, so they take turns in small
 * blocks, and medians decide.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import writeFileAtomic from 'write-file-atomic'
import { startPostgres } from '../test/support/postgres.ts'
import { alternate, verdict } from './measure.ts'

const VALUE = 'A line of a plan that an agent keeps between two runs of itself.\n'.repeat(32)
const METADATA = JSON.stringify(
  { writer: { writer_id: 'bench', session_id: 'bench' }, updated_at: 1_700_000_000 },
  null,
  2,
)
const KEYS = 8

type InitState = typeof import('../src/state/index.ts').initState

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-state-'))
  // The package as it is built, as a user runs it: what a loader of TypeScript adds is no part of a write.
  const { initState }: { initState: InitState } = await import(
    new URL('../dist/state/index.js', import.meta.url).href
  )
  try {
    await benchFilesystem(folder, initState)
    await benchPostgres(initState)
    for (const synchronous of ['full', 'normal']) await benchSqlite(folder, synchronous)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function benchFilesystem(folder: string, initState: InitState): Promise<void> {
  const each = 20
  const floor = join(folder, 'floor')
  const peer = join(folder, 'peer')
  for (const place of [floor, peer]) mkdirSync(join(place, 'meta'), { recursive: true })
  const state = await initState(join(folder, 'ours'), { sessionId: 'bench' })
  let count = 0
  const times = await alternate(
    [
      { name: 'floor', run: () => repeat(each, () => writeBoth(floor, count++)) },
      { name: 'ours', run: () => repeat(each, () => state.write(`key-${count++ % KEYS}`, VALUE)) },
      { name: 'write-file-atomic', run: () => repeat(each, () => writeBothAtomic(peer, count++)) },
    ],
    60,
  )
  await state.close()
  const ms = (name: string): number => (times.get(name) ?? Number.NaN) / each
  print('filesystem, ms per write', {
    floor: ms('floor'),
    ours: ms('ours'),
    'write-file-atomic': ms('write-file-atomic'),
  })
  const figures = { unit: 'ms', ours: ms('ours'), floor: ms('floor') }
  verdict('filesystem driver, against the floor', ms('floor') / ms('ours'), 0.7, 'at least', figures)
  verdict(
    'filesystem driver, against write-file-atomic',
    ms('write-file-atomic') / ms('ours'),
    1,
    'at least',
    { ...figures, peers: { 'write-file-atomic': ms('write-file-atomic') } },
  )
}

/**
 * The least that leaves both files durable and never half: each temp, flush, rename, and one flush of the
 * folder.
 */
function writeBoth(place: string, count: number): void {
  const name = `key-${count % KEYS}`
  for (const [path, text] of [
    [join(place, 'meta', `${name}.json`), METADATA],
    [join(place, name), VALUE],
  ] as const) {
    const fd = openSync(`${path}.tmp`, 'w')
    writeSync(fd, text)
    fsyncSync(fd)
    closeSync(fd)
    renameSync(`${path}.tmp`, path)
  }
  const fd = openSync(place, 'r')
  fsyncSync(fd)
  closeSync(fd)
}

async function writeBothAtomic(place: string, count: number): Promise<void> {
  const name = `key-${count % KEYS}`
  await writeFileAtomic(join(place, 'meta', `${name}.json`), METADATA)
  await writeFileAtomic(join(place, name), VALUE)
}

async function benchPostgres(initState: InitState): Promise<void> {
  const each = 20
  const server = await startPostgres({ settings: { fsync: 'on' } })
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  // The server is stopped while a connection may still be idle; that is the end of the measurement, not a
  // failure of it.
  pool.on('error', () => undefined)
  const state = await initState(server.url, { sessionId: 'bench' })
  try {
    await pool.query('create table bare (session text, key text, content bytea, primary key (session, key))')
    const text =
      'insert into bare values ($1, $2, $3) on conflict (session, key) do update set content = excluded.content'
    const bytes = Buffer.from(VALUE)
    let count = 0
    const upsert = (): Promise<unknown> =>
      pool.query({ name: 'bare', text, values: ['bench', `key-${count++ % KEYS}`, bytes] })
    const times = await alternate(
      [
        { name: 'bare', run: () => repeat(each, upsert) },
        { name: 'ours', run: () => repeat(each, () => state.write(`key-${count++ % KEYS}`, VALUE)) },
      ],
      60,
    )
    const ms = (name: string): number => (times.get(name) ?? Number.NaN) / each
    print('postgres, ms per write', { 'bare upsert': ms('bare'), ours: ms('ours') })
    verdict('postgres driver, against a bare upsert', ms('bare') / ms('ours'), 0.8, 'at least', {
      unit: 'ms',
      ours: ms('ours'),
      floor: ms('bare'),
    })
  } finally {
    await state.close()
    await pool.end()
    await server.stop()
  }
}

/**
 * Two processes, because the peer's addon and `node:sqlite` may need different Nodes; they never run at the
 * same time.
 */
async function benchSqlite(folder: string, synchronous: string): Promise<void> {
  const each = 40
  const peers = fileURLToPath(new URL('./peers/state/', import.meta.url))
  if (!existsSync(join(peers, 'node_modules/better-sqlite3/build'))) install(peers)
  const newer = fileURLToPath(new URL('../node_modules/node22/bin/node', import.meta.url))
  const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : newer
  if (!existsSync(node)) {
    console.log(`sqlite driver, synchronous ${synchronous}: not measured, no Node 22 or newer is installed`)
    return
  }
  const theirs = await candidate(
    process.execPath,
    join(peers, 'langgraph.mjs'),
    join(folder, `theirs-${synchronous}.db`),
    synchronous,
  )
  const ours = await candidate(
    node,
    join(peers, 'ours-sqlite.mjs'),
    join(folder, `ours-${synchronous}.db`),
    synchronous,
  )
  const times = await alternate(
    [
      { name: 'theirs', run: () => theirs.run(each) },
      { name: 'ours', run: () => ours.run(each) },
    ],
    60,
  )
  theirs.stop()
  ours.stop()
  const ms = (name: string): number => (times.get(name) ?? Number.NaN) / each
  print(`sqlite, synchronous ${synchronous}, ms per write`, {
    'langgraph-checkpoint-sqlite': ms('theirs'),
    ours: ms('ours'),
  })
  verdict(
    `sqlite driver, synchronous ${synchronous}, against langgraph`,
    ms('theirs') / ms('ours'),
    1,
    'at least',
    { unit: 'ms', ours: ms('ours'), peers: { 'langgraph-checkpoint-sqlite': ms('theirs') } },
  )
}

async function candidate(
  node: string,
  file: string,
  database: string,
  synchronous: string,
): Promise<{ run(n: number): Promise<void>; stop(): void }> {
  const child = spawn(node, [file, database, synchronous, VALUE], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  return {
    async run(n) {
      child.stdin.write(`${n}\n`)
      await once(lines, 'line')
    },
    stop: () => child.stdin.end(),
  }
}

function install(folder: string): void {
  console.log('installing the peers of this benchmark (one of them may be compiled: some minutes)')
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error('the peers could not be installed')
}

async function repeat(times: number, work: () => unknown): Promise<void> {
  for (let left = times; left > 0; left -= 1) await work()
}

function print(what: string, figures: Readonly<Record<string, number>>): void {
  const shown = Object.entries(figures).map(([name, ms]) => `${name} ${ms.toFixed(3)}`)
  console.log(`${what}: ${shown.join(', ')}`)
}
