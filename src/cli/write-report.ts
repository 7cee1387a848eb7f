/**
 * Writes a report to a file of the user's choice, whole or not at all; refuses to write over what the report
 * is about.
 */
import { fromSystemError, RepriseError, withSystemErrors } from '../errors/index.ts'
import { writeOutput } from './write-output.ts'

export async function writeReport(file: string, text: string, inputs: readonly string[]): Promise<void> {
  const { fs } = await import('../real/fs.ts')
  const { realPid } = await import('../real/process.ts')
  const statOf = (path: string) => fs.statSync(path, { throwIfNoEntry: false, bigint: true })
  const there = withSystemErrors('write', file, () => statOf(file))
  for (const input of inputs) {
    const other = withSystemErrors('read', input, () => statOf(input))
    if (there !== undefined && other !== undefined && there.dev === other.dev && there.ino === other.ino)
      throw new RepriseError('usage', `--report ${file} would overwrite what it reports on`, {
        details: { path: file },
        hint: 'choose another file',
      })
  }
  // A rename would replace the device or the pipe, or the link instead of its file (/dev/stdout).
  const entry = withSystemErrors('write', file, () => fs.lstatSync(file, { throwIfNoEntry: false }))
  if (entry !== undefined && !entry.isFile()) return writeOutput(file, text)
  const temp = `${file}.${realPid}.tmp`
  try {
    fs.writeFileSync(temp, text, { mode: 0o600 })
    fs.renameSync(temp, file)
  } catch (error) {
    fs.rmSync(temp, { force: true })
    throw fromSystemError(error, 'write', file)
  }
}
