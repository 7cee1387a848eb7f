/**
 * State in one SQLite file, by Node's own `node:sqlite` (Node 22.13 or newer). For one machine, any number of
 * processes: a writer holds SQLite's write lock from its first look to its commit. Write-ahead log;
 * `synchronous=full` unless the URL has `?synchronous=normal`.
 */
import { contentHash, parseJson } from '../../base/index.ts'
import { fromSystemError, RepriseError } from '../../errors/index.ts'
import { fs, monotonicMs, realClearTimeout, realSetTimeout } from '../../real/index.ts'
import {
  loadSqlite,
  type OpenSqlite,
  type SqliteDatabase,
  type SqliteStatement,
  type SqlValue,
} from '../../real/sqlite.ts'
import { judgeWrite } from '../conflict.ts'
import type { PastVersion, StateDriver, WriteOutcome } from '../contract.ts'
import { clashError, parentKeys } from '../keys.ts'
import { isDeletion, versionFrom, versionNumber } from '../version.ts'
import {
  entryFromRow,
  newerSchema,
  type PutRow,
  pastFromRow,
  rowOf,
  versionFromRow,
  writerFromRow,
  writerText,
} from './sql-rows.ts'
import { MIGRATIONS, STATEMENTS } from './sqlite-statements.ts'
import { takeTurn } from './turns.ts'

export type SqliteOptions = {
  readonly file: string
  readonly synchronous: 'full' | 'normal'
  readonly historyLimit: number
  readonly lockTimeoutMs: number
}

/** SQLite itself waits this long, blocking; after that the wait goes on without blocking the program. */
const BUSY_MS = 10

type Open = {
  readonly database: SqliteDatabase
  readonly run: Readonly<Record<keyof typeof STATEMENTS, SqliteStatement>>
}

export function createSqliteDriver(options: SqliteOptions): StateDriver {
  const create = loadSqlite()
  if (create === null) {
    throw new RepriseError(
      'state-driver-unavailable',
      `agent_state: the sqlite driver needs Node 22.13 or newer; this is ${process.version}`,
      {
        hint: 'use a newer Node, or a folder as the root',
      },
    )
  }
  let open: Open | null = null
  let opening: Promise<Open> | null = null
  let revision = 0

  /** Null if there is no file and none is to be made. */
  const use = async (make: boolean): Promise<Open | null> => {
    if (open !== null) return open
    if (!make && !fs.existsSync(options.file)) return null
    // Others may hold the file for long, all of them together: opening waits like a write does.
    opening ??= whenFree(options.lockTimeoutMs, () =>
      guarded(() => openDatabase(create, options), options.file),
    )
    try {
      open = await opening
      return open
    } finally {
      opening = null
    }
  }
  const reading = async <T>(otherwise: T, work: (run: Open['run']) => T): Promise<T> => {
    const opened = await use(false)
    return opened === null
      ? otherwise
      : whenFree(options.lockTimeoutMs, () => guarded(() => work(opened.run), options.file))
  }
  const clash = (run: Open['run'], session: string, key: string): string | null => {
    const found = run.clash.get(session, JSON.stringify(parentKeys(key)), `${key}/`, `${key}0`)
    return found === undefined ? null : String(found.key)
  }
  const list = (run: Open['run'], session: string): readonly string[] =>
    run.list.all(session).map((row) => String(row.key))

  /**
   * The write lock of the file, from the first look to the commit. The turn keeps the handles of this process
   * apart: they share the connection.
   */
  const exclusively = <T>(work: (open: Open) => T | Promise<T>): Promise<T> =>
    takeTurn(`sqlite\0${options.file}`, async () => {
      const opened = (await use(true)) as Open
      await whenFree(options.lockTimeoutMs, () => guarded(() => opened.run.begin.run(), options.file))
      try {
        const result = await work(opened)
        opened.run.commit.run()
        revision += 1
        return result
      } catch (error) {
        rollBack(opened.database)
        throw databaseError(error, options.file)
      }
    })
  const add = (run: Open['run'], session: string, key: string, ids: readonly number[], row: PutRow): void => {
    const values = [row.number, row.hash, row.content, row.writer, row.instance, row.updatedAt] as const
    // The new version and as many superseded ones as may be kept; the oldest beyond that gives its row.
    const kept = options.historyLimit === 0 ? [] : ids.slice(-options.historyLimit)
    const [reused, ...dropped] = ids.slice(0, ids.length - kept.length)
    const id = Number(
      (reused === undefined ? run.add.get(...values) : run.writeOver.get(...values, reused))?.id,
    )
    for (const old of dropped) run.drop.run(old)
    run.point.run(session, key, row.number, row.hash, id, JSON.stringify([...kept, id]))
  }

  return {
    backend: 'sqlite',
    root: `sqlite:${options.file}`,
    async createSession(session) {
      const { run } = (await use(true)) as Open
      await whenFree(options.lockTimeoutMs, () => guarded(() => run.createSession.run(session), options.file))
    },
    hasSession: (session) => reading(false, (run) => run.hasSession.get(session) !== undefined),
    sessions: () =>
      reading<readonly string[]>([], (run) => run.sessions.all().map((row) => String(row.session))),
    read: (session, key) =>
      reading(null, (run) => {
        const row = run.load.get(session, key)
        return row === undefined ? null : entryFromRow(row)
      }),
    list: (session) => reading<readonly string[]>([], (run) => list(run, session)),
    clash: (session, key) => reading(null, (run) => clash(run, session, key)),
    versions: (session) =>
      reading(
        new Map(),
        (run) => new Map(run.versions.all(session).map((row) => [String(row.key), versionFromRow(row)])),
      ),
    exclusive: (session, work) =>
      exclusively(async ({ run }) => {
        const { result, changes } = await work({
          load: async (key) => {
            const row = run.load.get(session, key)
            return row === undefined
              ? { entry: null, counter: 0 }
              : { entry: entryFromRow(row), counter: Number(row.number) }
          },
          clash: async (key) => clash(run, session, key),
          list: async () => list(run, session),
        })
        for (const change of changes)
          add(run, session, change.key, idsOf(run.head.get(session, change.key)), rowOf(change))
        return result
      }),
    writeOnce: (session, request) =>
      exclusively(({ run }): WriteOutcome => {
        const head = run.head.get(session, request.key)
        const present =
          head === undefined || head.hash === null
            ? null
            : { version: versionFromRow(head), writer: writerFromRow(head) }
        const conflict = judgeWrite(present, request)
        const other = present === null ? clash(run, session, request.key) : null
        if (other !== null) throw clashError(request.key, other)
        const { content, writer, updatedAt } = request
        const row = {
          number: Number(head?.number ?? 0) + 1,
          hash: contentHash(content),
          content,
          writer: writerText(writer),
          instance: writer.instance,
          updatedAt,
        }
        add(run, session, request.key, idsOf(head), row)
        return { version: versionFrom(row.number, row.hash), conflict }
      }),
    history: (session, key) =>
      reading<readonly PastVersion[]>([], (run) => run.past.all(session, key).map(pastFromRow)),
    readVersion: (session, key, version) =>
      reading(null, (run) => {
        if (isDeletion(version)) return null
        const row = run.version.get(session, key, versionNumber(version))
        return row !== undefined && versionFromRow(row) === version
          ? (entryFromRow(row)?.content ?? null)
          : null
      }),
    onHint(_session, hint) {
      // SQLite reports whether another connection has written; our own writes are counted here.
      const look = (): string =>
        `${open?.database.prepare('pragma data_version').get()?.data_version}/${revision}`
      let before = look()
      let timer: ReturnType<typeof realSetTimeout> | null = null
      const poll = (): void => {
        timer = realSetTimeout(() => {
          const after = look()
          if (after !== before) hint()
          before = after
          poll()
        }, 50)
        timer.unref()
      }
      poll()
      return { [Symbol.dispose]: () => realClearTimeout(timer ?? undefined) }
    },
    async close() {
      open?.database.close()
      open = null
    },
  }
}

function idsOf(head: Readonly<Record<string, SqlValue>> | undefined): readonly number[] {
  const ids: unknown = head === undefined ? [] : parseJson(String(head.ids))
  return Array.isArray(ids) ? ids.map(Number) : []
}

function openDatabase(create: OpenSqlite, options: SqliteOptions): Open {
  fs.closeSync(fs.openSync(options.file, 'a', 0o600))
  const database = create(options.file)
  try {
    database.exec(`pragma busy_timeout = ${BUSY_MS}`)
    database.exec('pragma journal_mode = wal')
    database.exec(`pragma synchronous = ${options.synchronous}`)
    if (layoutOf(database) !== MIGRATIONS.length) migrate(database)
    const run = Object.fromEntries(
      Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)]),
    )
    return { database, run: run as Open['run'] }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Without a lock: nearly always there is nothing to do. */
function layoutOf(database: SqliteDatabase): number {
  const table = database
    .prepare("select 1 from sqlite_schema where type = 'table' and name = 'reprise_state_migrations'")
    .get()
  const row =
    table === undefined
      ? undefined
      : database.prepare('select max(version) as version from reprise_state_migrations').get()
  const found = Number(row?.version ?? 0)
  if (found > MIGRATIONS.length) throw newerSchema(found, MIGRATIONS.length)
  return found
}

function migrate(database: SqliteDatabase): void {
  database.exec('begin immediate')
  try {
    database.exec('create table if not exists reprise_state_migrations (version integer primary key) strict')
    const found = layoutOf(database)
    for (const [index, sql] of MIGRATIONS.entries()) {
      if (index < found) continue
      database.exec(sql)
      database.prepare('insert into reprise_state_migrations (version) values (?)').run(index + 1)
    }
    database.exec('commit')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback')
  } catch {
    // SQLite has already rolled back, as it does on a full disk.
  }
}

async function whenFree<T>(timeoutMs: number, work: () => T): Promise<T> {
  const started = monotonicMs()
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (
        !(error instanceof RepriseError && error.code === 'state-locked') ||
        monotonicMs() - started > timeoutMs
      )
        throw error
    }
    await new Promise<void>((resolve) => realSetTimeout(resolve, 1 + (monotonicMs() % 1) * 4))
  }
}

function guarded<T>(work: () => T, file: string): T {
  try {
    return work()
  } catch (error) {
    throw databaseError(error, file)
  }
}

function databaseError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof RepriseError || !('code' in error)) return error
  if (error.code !== 'ERR_SQLITE_ERROR') return fromSystemError(error, 'open', file)
  const details = { file, sqlite: 'errcode' in error ? error.errcode : null }
  const facts = { details, cause: error }
  // The low byte is the primary code: 5 busy, 6 locked, 13 full, 26 not a database.
  const primary = typeof details.sqlite === 'number' ? details.sqlite & 0xff : 0
  if (primary === 5 || primary === 6) {
    return new RepriseError('state-locked', `agent_state: ${file} is locked by another process`, {
      ...facts,
      hint: 'try again, or wait longer (lockTimeoutMs)',
    })
  }
  if (primary === 13)
    return new RepriseError('io', `cannot write ${file}: ENOSPC`, { ...facts, hint: 'free some disk space' })
  return new RepriseError('state-database', `agent_state: ${file}: ${error.message}`, {
    ...facts,
    hint: 'check that the file is a SQLite database of reprise',
  })
}
