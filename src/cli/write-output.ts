/**
 * Writes text to a path that was named on the command line: a file, a device, or a pipe that is read. Refuses
 * a folder, and a pipe that no process reads, instead of waiting for a reader.
 */
import { fromSystemError, RepriseError, systemCode, withSystemErrors } from '../errors/index.ts'

/** A reader that takes nothing for this long is given up. */
const READER_MS = 30_000
const RETRY_MS = 5

type OutputOptions = {
  /** The file must not exist yet. */
  readonly isNew?: boolean
}

export async function writeOutput(path: string, text: string, options: OutputOptions = {}): Promise<void> {
  const output = await openOutput(path, options)
  try {
    await output.write(text)
  } finally {
    output.close()
  }
}

export type OpenOutput = { write(text: string): Promise<void>; close(): void }

export async function openOutput(path: string, { isNew = false }: OutputOptions): Promise<OpenOutput> {
  const { fs } = await import('../real/fs.ts')
  const { O_WRONLY, O_CREAT, O_TRUNC, O_EXCL, O_NONBLOCK = 0 } = fs.constants
  const flags = O_WRONLY | O_CREAT | O_NONBLOCK | (isNew ? O_EXCL : O_TRUNC)
  const file = withSystemErrors('write', path, () => fs.openSync(path, flags, 0o600))
  if (isOwnInput(file, fs)) {
    fs.closeSync(file)
    throw new RepriseError('not-a-file', `cannot write ${path}: it is the input of this command`, {
      details: { path },
      hint: 'name a file',
    })
  }
  return {
    async write(text) {
      try {
        await writeAll(file, Buffer.from(text, 'utf8'), fs)
      } catch (error) {
        throw fromSystemError(error, 'write', path)
      }
    },
    close: () => fs.closeSync(file),
  }
}

type Files = typeof import('../real/fs.ts')['fs']

/** `/dev/stdin`, if that is a pipe: only this command could read what it writes there. */
function isOwnInput(file: number, fs: Files): boolean {
  const stat = fs.fstatSync(file)
  if (!stat.isFIFO()) return false
  const own = fs.fstatSync(0)
  return own.dev === stat.dev && own.ino === stat.ino
}

async function writeAll(file: number, bytes: Buffer, fs: Files): Promise<void> {
  const { monotonicMs, realSetTimeout } = await import('../real/clock.ts')
  let lastMs = monotonicMs()
  for (let at = 0; at < bytes.byteLength; ) {
    try {
      at += fs.writeSync(file, bytes, at)
      lastMs = monotonicMs()
    } catch (error) {
      // The pipe is full.
      if (systemCode(error) !== 'EAGAIN' || monotonicMs() - lastMs > READER_MS) throw error
      await new Promise((resolve) => realSetTimeout(resolve, RETRY_MS))
    }
  }
}
