/**
 * What `audit` was pointed at: a file, a folder of sessions, or a database (`postgres://…#session`). The name
 * that is shown never contains a password.
 */
import { join } from 'node:path'
import { RepriseError, withSystemErrors } from '../errors/index.ts'
import { fs } from '../real/index.ts'
import { databaseParts, isDatabase } from './postgres/place.ts'

/** `path` as it may be printed. */
export function auditLabel(path: string): string {
  if (!isDatabase(path)) return path
  const { url, session } = databaseParts(path)
  const rest = url.replace(/^[^/]*\/\//, '')
  const host = rest.slice(rest.lastIndexOf('@') + 1).replace(/[?#].*$/, '')
  return `postgres://${host}${session === null ? '' : `#${session}`}`
}

/** The logs in a folder; null if `path` is no folder. */
export function logsIn(path: string): readonly string[] | null {
  if (isDatabase(path)) return null
  return withSystemErrors('read', path, () => {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return null
    const names = fs.readdirSync(path).filter((name) => name.endsWith('.jsonl') && !PARTS_OF_A_LOG.test(name))
    return names.sort().map((name) => join(path, name))
  })
}

/** Files that belong to a session's log. */
const PARTS_OF_A_LOG = /\.(?:checkpoints|repairs|part-\d{6})\.jsonl$/

/** The one log that a command works on: the file itself, or the only one in a folder. */
export function oneLog(path: string): string {
  const logs = logsIn(path)
  if (logs === null) return path
  const [only, ...more] = logs
  if (only === undefined) throw emptyFolder(path)
  if (more.length === 0) return only
  throw new RepriseError('usage', `${path} has ${logs.length} session logs`, {
    details: { logs },
    hint: `name one of them: ${logs.slice(0, 5).join(', ')}${logs.length > 5 ? ', …' : ''}`,
  })
}

export function emptyFolder(path: string): RepriseError {
  return new RepriseError('not-a-file', `cannot read ${path}: it is a folder without session logs`, {
    details: { path },
    hint: 'session logs are files that end in .jsonl',
  })
}
