/**
 * The partial folder of a recording, and how it becomes a cassette.
 *
 * Streams are appended at once, so a crash loses only what was still held back. The first failed write is
 * kept, nothing is written after it, and `accept` throws it: a recording that is not whole never gets a
 * manifest. Takes scrubbed text and bytes only.
 *
 * Fault points: `cassette:append`, `cassette:document`, `cassette:accept`, `cassette:move-away`,
 * `cassette:move-in`.
 */
import { basename, dirname, join } from 'node:path'
import { faultPoint } from '../../base/index.ts'
import { fromSystemError, RepriseError, systemCode } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { realPid } from '../../real/process.ts'
import type { ScrubbedBytes, ScrubbedText } from '../../scrub/index.ts'
import { DRAFT_FILE, FILE_MODE, FILES, type FileName, FOLDER_MODE } from './names.ts'
import { trimSlash } from './read-folder.ts'

type StreamName =
  | typeof FILES.input
  | typeof FILES.raw
  | typeof FILES.output
  | typeof FILES.frames
  | typeof FILES.serviceEvents
const STREAMS: readonly StreamName[] = [
  FILES.input,
  FILES.raw,
  FILES.output,
  FILES.frames,
  FILES.serviceEvents,
]

export type PartialFolder = {
  readonly path: string
  /** The first write that failed, or null. */
  readonly failure: unknown
  append(name: StreamName, bytes: ScrubbedBytes): void
  appendLine(name: StreamName, line: ScrubbedText): void
  /** Writes the whole file or nothing: writes a temporary file and renames it. */
  document(name: FileName | typeof DRAFT_FILE, text: ScrubbedText): void
  /** Replaces a stream by other bytes, in full or not at all. */
  rewrite(name: StreamName, bytes: ScrubbedBytes): void
  read(name: FileName): Uint8Array
  /**
   * Reads a stream back into `target`, from `position` on. Gives how many bytes: none after a failed write.
   */
  readAt(name: StreamName, target: Uint8Array, position: number): number
  /**
   * Begins to bring a stream to the disk while other work goes on; resolves when it is there, and leaves a
   * failure to `sync`.
   */
  startSync(name: StreamName): Promise<void>
  closeStreams(): void
  /** Everything on the disk itself, not only with the operating system. */
  sync(): void
  /** The draft has served: the manifest is there. */
  removeDraft(): void
  remove(): void
}

export function createPartial(out: string): PartialFolder {
  const path = newPartialPath(out)
  const open = new Map<StreamName, number>()
  let failure: unknown = null
  let syncing: Promise<void> = Promise.resolve()
  const attempt = (name: string, write: () => void): void => {
    if (failure !== null) return
    try {
      write()
    } catch (error) {
      failure = fromSystemError(error, 'write', join(path, name))
    }
  }
  try {
    fs.mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
    fs.chmodSync(path, FOLDER_MODE)
    for (const name of STREAMS) open.set(name, fs.openSync(join(path, name), 'wx+', FILE_MODE))
  } catch (error) {
    throw fromSystemError(error, 'create', path)
  }
  return {
    path,
    get failure() {
      return failure
    },
    append(name, bytes) {
      attempt(name, () => {
        faultPoint('cassette:append')
        writeAll(open.get(name), bytes)
      })
    },
    appendLine(name, line) {
      attempt(name, () => {
        faultPoint('cassette:append')
        writeAll(open.get(name), Buffer.from(`${line}\n`))
      })
    },
    document(name, text) {
      attempt(name, () => {
        faultPoint('cassette:document')
        replaceFile(join(path, name), Buffer.from(text))
      })
    },
    rewrite(name, bytes) {
      attempt(name, () => {
        faultPoint('cassette:document')
        replaceFile(join(path, name), bytes)
      })
    },
    read: (name) => fs.readFileSync(join(path, name)),
    readAt(name, target, position) {
      let count = 0
      attempt(name, () => {
        const file = open.get(name)
        if (file !== undefined) count = fs.readSync(file, target, 0, target.byteLength, position)
      })
      return count
    },
    startSync(name) {
      const file = open.get(name)
      if (file === undefined) return syncing
      // One after the other, and all of them before the file is closed.
      syncing = syncing.then(() => new Promise((resolve) => fs.fsync(file, () => resolve())))
      return syncing
    },
    closeStreams() {
      for (const [name, file] of open) attempt(name, () => fs.closeSync(file))
      open.clear()
    },
    sync() {
      attempt('', () => {
        for (const name of fs.readdirSync(path)) syncPath(join(path, name))
        syncPath(path)
      })
    },
    removeDraft() {
      attempt(DRAFT_FILE, () => fs.rmSync(join(path, DRAFT_FILE), { force: true }))
    },
    remove: () => fs.rmSync(path, { recursive: true, force: true }),
  }
}

function newPartialPath(out: string): string {
  const base = `${trimSlash(out)}.partial-${realPid}`
  // A second recording of this process to the same place, or a leftover of a process that had the same
  // number.
  for (let attempt = 1; ; attempt += 1) {
    const path = attempt === 1 ? base : `${base}-${attempt}`
    if (!fs.existsSync(path)) return path
  }
}

function writeAll(file: number | undefined, bytes: Uint8Array): void {
  if (file === undefined) throw new RepriseError('cassette-closed', 'the recording has been closed')
  let done = 0
  while (done < bytes.byteLength) done += fs.writeSync(file, bytes, done)
}

function replaceFile(path: string, bytes: Uint8Array): void {
  const temporary = join(dirname(path), `.tmp-reprise-${realPid}-${basename(path)}`)
  fs.writeFileSync(temporary, bytes, { mode: FILE_MODE })
  fs.renameSync(temporary, path)
}

export function syncPath(path: string): void {
  const file = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(file)
  } catch (error) {
    // Some file systems have no fsync for folders.
    if (systemCode(error) !== 'EINVAL' && systemCode(error) !== 'ENOTSUP') throw error
  } finally {
    fs.closeSync(file)
  }
}
