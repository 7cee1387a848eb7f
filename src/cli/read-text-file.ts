/**
 * Reads a file that was named on the command line. Refuses what is no plain file: a pipe may never be written to, and a device may
 * have no end. Links are followed.
 */
import { fromSystemError, RepriseError } from '../errors/index.ts'

export async function readTextFile(path: string): Promise<string> {
  const { fs } = await import('../real/fs.ts')
  let text: string | null
  try {
    text = fs.statSync(path).isFile() ? fs.readFileSync(path, 'utf8') : null
  } catch (error) {
    throw fromSystemError(error, 'read', path)
  }
  if (text !== null) return text
  throw new RepriseError('not-a-file', `cannot read ${path}: it is a folder, a pipe or a device`, { details: { path }, hint: 'name a file' })
}
