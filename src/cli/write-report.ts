/**
 * Writes a report to a file of the user's choice, whole or not at all; refuses to write over what the report
 * is about.
 */
import { fromSystemError, RepriseError } from '../errors/index.ts'

export async function writeReport(file: string, text: string, inputs: readonly string[]): Promise<void> {
  const { fs } = await import('../real/fs.ts')
  const { realPid } = await import('../real/process.ts')
  const there = fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  if (there?.isDirectory() === true)
    throw new RepriseError('not-a-file', `cannot write ${file}: it is a folder`, {
      details: { path: file },
      hint: 'name a file',
    })
  for (const input of inputs) {
    const other = fs.statSync(input, { throwIfNoEntry: false, bigint: true })
    if (there !== undefined && other !== undefined && there.dev === other.dev && there.ino === other.ino)
      throw new RepriseError('usage', `--report ${file} would overwrite what it reports on`, {
        details: { path: file },
        hint: 'choose another file',
      })
  }
  // A device or a pipe (/dev/stderr) can't be replaced by a rename.
  const temp = there === undefined || there.isFile() ? `${file}.${realPid}.tmp` : file
  try {
    fs.writeFileSync(temp, text, { mode: 0o600 })
    if (temp !== file) fs.renameSync(temp, file)
  } catch (error) {
    if (temp !== file) fs.rmSync(temp, { force: true })
    throw fromSystemError(error, 'write', file)
  }
}
