/**
 * Tapes without a name of their own: where `record` puts them, which are there, and which one is `last`.
 *
 * They are in `.reprise/` of the working directory, which ignores itself in git. A file called `last` in the
 * working directory is that file.
 */
import { basename, join } from 'node:path'
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { dateFrom, now } from '../real/clock.ts'
import { fs } from '../real/fs.ts'

export const TAPES_FOLDER = '.reprise'

/** What `reprise demo` keeps. */
export const DEMO_FOLDER = join(TAPES_FOLDER, 'demo')

export type FoundTape = { readonly path: string; readonly bytes: number; readonly changedMs: number }

/** A new path in `.reprise/`, which is created: `2026-03-01T12-30-05-agent.tape`. */
export function newTapePath(command: readonly string[]): string {
  makeTapesFolder()
  const moment = dateFrom(now()).toISOString().slice(0, 19).replaceAll(':', '-')
  const name = `${moment}-${programName(command)}`
  for (let number = 1; ; number += 1) {
    const path = join(TAPES_FOLDER, `${name}${number === 1 ? '' : `-${number}`}.tape`)
    if (!fs.existsSync(path)) return path
  }
}

/** `.reprise/`, which ignores itself in git. */
export function makeTapesFolder(): void {
  if (fs.existsSync(TAPES_FOLDER)) return
  try {
    fs.mkdirSync(TAPES_FOLDER, { mode: 0o700 })
    fs.writeFileSync(join(TAPES_FOLDER, '.gitignore'), '*\n', { mode: 0o600 })
  } catch (error) {
    throw fromSystemError(error, 'write', TAPES_FOLDER)
  }
}

/** `agent` for `node --import tsx src/agent.ts --fast`. */
function programName(command: readonly string[]): string {
  const script = command.find((word) => /\.[cm]?[jt]sx?$/.test(word)) ?? command[0] ?? ''
  const name = basename(script).replace(/\.[^.]+$/, '')
  return name.replace(/[^\w-]+/g, '-').slice(0, 40) || 'run'
}

/** The tapes in `.reprise/`, of the demo and in the working directory, newest first. */
export function findTapes(folders: readonly string[] = [...OWN_FOLDERS, '.']): FoundTape[] {
  const found = folders.flatMap((folder) => tapesIn(folder))
  return found.sort((a, b) => b.changedMs - a.changedMs || (a.path < b.path ? 1 : -1))
}

function tapesIn(folder: string): FoundTape[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.tape'))
    .flatMap((name) => {
      const path = join(folder, name)
      const stat = fs.statSync(path, { throwIfNoEntry: false })
      return stat?.isFile() === true ? [{ path, bytes: stat.size, changedMs: stat.mtimeMs }] : []
    })
}

const OWN_FOLDERS = [TAPES_FOLDER, DEMO_FOLDER]

function namesIn(folder: string): string[] {
  if (OWN_FOLDERS.includes(folder) && !fs.existsSync(folder)) return []
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    throw fromSystemError(error, 'read', folder)
  }
}

/** The path of the newest tape, for the name `last`; any other name is a path already. */
export function namedTape(name: string): string {
  if (name !== 'last' || fs.existsSync(name)) return name
  const [newest] = findTapes()
  if (newest !== undefined) return newest.path
  throw new RepriseError('not-found', 'there is no last tape: no tape is in .reprise or in this folder', {
    hint: 'record one: reprise record -- node agent.mjs',
  })
}
