/**
 * Reads a file that was named on the command line. Refuses what is no plain file: a pipe may never be written
 * to, and a device may have no end. Links are followed.
 */
import { fromSystemError, RepriseError } from '../errors/index.ts'

export async function readTextFile(path: string): Promise<string> {
  return (await readNamedFile(path)).toString('utf8')
}

export async function readNamedFile(path: string): Promise<Buffer> {
  const { fs } = await import('../real/fs.ts')
  let other: string
  try {
    const stat = fs.statSync(path)
    if (stat.isFile()) return fs.readFileSync(path)
    other = 'a device'
    if (stat.isDirectory()) other = 'a folder'
    if (stat.isFIFO() || stat.isSocket()) other = 'a pipe'
  } catch (error) {
    throw fromSystemError(error, 'read', path)
  }
  throw new RepriseError('not-a-file', `cannot read ${path}: it is ${other}`, {
    details: { path },
    hint: 'name a file',
  })
}
