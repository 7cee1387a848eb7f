/**
 * Node's own SQLite, loaded on first use. Node 22.13 and newer have it without a flag; null where it
 * is not there.
 */
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
  const known = loaded()
  return known === null ? null : (file) => new known.DatabaseSync(file)
}

/**
 * Lets a boundary intercept the class. `warn` emits the warning that Node emits when the program loads the
 * module: loading it here emits none.
 */
export function sqliteOwner(): { readonly module: object; readonly warn: () => void } | null {
  return loaded()
}

type Loaded = {
  readonly module: object
  readonly DatabaseSync: SqliteModule['DatabaseSync']
  readonly warn: () => void
}

let known: Loaded | null | undefined

/** The class is kept as it was before anything was patched. */
function loaded(): Loaded | null {
  known ??= load()
  return known
}

function load(): Loaded | null {
  const getBuiltin: unknown = Reflect.get(process, 'getBuiltinModule')
  if (typeof getBuiltin !== 'function') return null
  // Loading it prints a warning that it is experimental. A program that uses it itself gets the warning later;
  // one that only stores state in a file does not need it.
  const emitWarning: unknown = Reflect.get(process, 'emitWarning')
  const warnings: unknown[][] = []
  process.emitWarning = (...args: unknown[]) => void warnings.push(args)
  const warn = (): void => {
    for (const args of warnings.splice(0))
      if (typeof emitWarning === 'function') Reflect.apply(emitWarning, process, args)
  }
  try {
    const module: unknown = Reflect.apply(getBuiltin, process, ['node:sqlite'])
    return isSqlite(module) ? { module, DatabaseSync: module.DatabaseSync, warn } : null
  } catch {
    // Known to this Node, but behind a flag.
    return null
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning)
  }
}

function isSqlite(module: unknown): module is SqliteModule {
  return (
    typeof module === 'object' &&
    module !== null &&
    'DatabaseSync' in module &&
    typeof module.DatabaseSync === 'function'
  )
}
