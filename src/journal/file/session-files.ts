/** Where the files of one session are, and which parts a rotation has left. */
import { join } from 'node:path'
import { withSystemErrors } from '../../errors/index.ts'
import { fs } from '../../real/index.ts'
import { checkSessionId } from './session-id.ts'

export type SessionFiles = {
  readonly dir: string
  readonly session: string
  /** What is appended to. */
  readonly log: string
  readonly checkpoints: string
  readonly repairs: string
  readonly lock: string
}

export function sessionFiles(dir: string, session: string): SessionFiles {
  const base = join(dir, checkSessionId(session))
  return {
    dir,
    session,
    log: `${base}.jsonl`,
    checkpoints: `${base}.checkpoints.jsonl`,
    repairs: `${base}.repairs.jsonl`,
    lock: `${base}.lock`,
  }
}

export function partPath(files: SessionFiles, number: number): string {
  return join(files.dir, `${files.session}.part-${String(number).padStart(6, '0')}.jsonl`)
}

export type Part = {
  readonly number: number
  readonly path: string
  readonly size: number
  readonly inode: number
}

/** Rotated parts, oldest first. */
export function listParts(files: SessionFiles): readonly Part[] {
  const prefix = `${files.session}.part-`
  const names = withSystemErrors('read', files.dir, () => fs.readdirSync(files.dir)).filter(
    (name) => name.startsWith(prefix) && /^\d+\.jsonl$/.test(name.slice(prefix.length)),
  )
  return names
    .map((name) => {
      const path = join(files.dir, name)
      const { size, ino } = withSystemErrors('read', path, () => fs.statSync(path))
      return { number: Number.parseInt(name.slice(prefix.length), 10), path, size, inode: ino }
    })
    .sort((a, b) => a.number - b.number)
}
