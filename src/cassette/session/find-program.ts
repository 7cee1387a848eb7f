/** The program that a command line means, by PATH or by path. */
import { isAbsolute, join } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'

/**
 * Checked before the start: a child that fails to start prints that on the terminal only, and would be
 * recorded as a program that failed.
 */
export function findProgram(file: string, cwd: string, path: string): string {
  const refuse = (reason: string, hint: string): RepriseError =>
    new RepriseError('cassette-spawn', `cannot start ${JSON.stringify(file)}: ${reason}`, {
      details: { file, cwd },
      hint,
    })
  if (file === '') throw refuse('command is required', 'name a program after --')
  if (!isFolder(cwd)) throw refuse(`no such folder: ${cwd}`, 'check the working folder')
  const candidates = file.includes('/')
    ? [isAbsolute(file) ? file : join(cwd, file)]
    : path.split(':').map((folder) => join(folder || '.', file))
  const found = candidates.find(isProgram)
  if (found === undefined) throw refuse('no such program', 'check its name and PATH')
  return found
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function isProgram(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK)
    return fs.statSync(path).isFile()
  } catch {
    // Not there, or not executable: the next candidate.
    return false
  }
}
