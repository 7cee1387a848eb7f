/** Node's own SQLite, loaded when it is asked for. Node 22.13 and newer have it without a flag; null where it is not there. */
export type SqlValue = string | number | bigint | Uint8Array | null

export type SqliteStatement = {
  get(...values: readonly SqlValue[]): Readonly<Record<string, SqlValue>> | undefined
  all(...values: readonly SqlValue[]): readonly Readonly<Record<string, SqlValue>>[]
  run(...values: readonly SqlValue[]): unknown
}

export type SqliteDatabase = {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

export type OpenSqlite = (file: string) => SqliteDatabase

type SqliteModule = { readonly DatabaseSync: new (file: string) => SqliteDatabase }

export function loadSqlite(): OpenSqlite | null {
  const getBuiltin: unknown = Reflect.get(process, 'getBuiltinModule')
  if (typeof getBuiltin !== 'function') return null
  // Loading it says on stderr that it is experimental: true of Node's API, but no news to who asked for state in a file.
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    const module: unknown = Reflect.apply(getBuiltin, process, ['node:sqlite'])
    return isSqlite(module) ? (file) => new module.DatabaseSync(file) : null
  } catch {
    // Known to this Node, but behind a flag.
    return null
  } finally {
    process.emitWarning = emitWarning
  }
}

function isSqlite(module: unknown): module is SqliteModule {
  return typeof module === 'object' && module !== null && 'DatabaseSync' in module && typeof module.DatabaseSync === 'function'
}
