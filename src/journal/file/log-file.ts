/**
 * The file end of a journal: everything that happens while the lock is held, all of it synchronous. Reads
 * what other writers added, repairs a damaged end, appends one batch in one write, takes checkpoints,
 * rotates.
 *
 * A write that fails half way is cut off again, so a full disk leaves no torn line and no seq that was given
 * out twice.
 *
 * Decision 0052.
 */
import { faultPoint } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { dateFrom, fs, now } from '../../real/index.ts'
import type { Signer } from '../../real/signing.ts'
import type { ScrubbedText } from '../../scrub/index.ts'
import {
  appendCheckpoint,
  type Checkpoint,
  checkpointChain,
  readCheckpoints,
  signCheckpoint,
} from './checkpoints.ts'
import { entryLine } from './entry-line.ts'
import { noParts, partsState } from './parts-state.ts'
import { type Repair, repairTail } from './repair-tail.ts'
import { sessionBytes } from './session-bytes.ts'
import { listParts, partPath, type SessionFiles } from './session-files.ts'
import { emptyTail, scanTail, type TailState } from './tail-state.ts'

export type LogFileOptions = {
  readonly files: SessionFiles
  readonly sync: boolean
  readonly withAt: boolean
  readonly withChain: boolean
  readonly rotateBytes: number
  readonly signer: Signer | null
  readonly onRepair: (repair: Repair) => void
}

export type LogFile = {
  /**
   * Brings what is known up to the file as it is, mending its end. Before anything else while the lock is
   * held.
   */
  refresh(): void
  /** Appends the events' texts in one write; gives the seq of the first. */
  append(events: readonly ScrubbedText[]): number
  checkpoint(): void
  /** The file that was last appended to, for a sync outside the lock. */
  readonly handle: number | null
  close(): void
}

export function createLogFile(options: LogFileOptions): LogFile {
  const { files, sync } = options
  let handle: number | null = null
  let inode = -1n
  let tail: TailState = emptyTail
  /** Of the rotated parts together. */
  let before = noParts
  let checkpointed = -1

  const maxSeq = (): number => Math.max(tail.maxSeq, before.maxSeq)

  const reopen = (): void => {
    if (handle !== null) fs.closeSync(handle)
    handle = fs.openSync(files.log, 'a+', 0o600)
    if (sync) syncFolder(files.dir)
    inode = fs.fstatSync(handle, { bigint: true }).ino
    before = partsState(files)
    tail = emptyTail
  }

  /**
   * A long log is read from its last checkpoint on, if a line ends there. With a chain on the lines the
   * last one must be read anyway.
   */
  const fromCheckpoint = (log: number, size: number): TailState => {
    const last = readCheckpoints(files.checkpoints).checkpoints.findLast(
      (made) => made.bytes > before.bytes && made.bytes <= before.bytes + size,
    )
    if (last === undefined || !endsLine(log, last.bytes - before.bytes)) return emptyTail
    return {
      end: last.bytes - before.bytes,
      lines: last.count - before.lines,
      maxSeq: last.seq,
      chain: null,
      badSince: null,
    }
  }

  const refresh = (): void => {
    const found = statOrNull(files.log)
    if (handle === null || found === null || found.ino !== inode) reopen()
    const size =
      handle === null
        ? 0
        : Number((found?.ino === inode ? found : fs.fstatSync(handle, { bigint: true })).size)
    if (handle === null || size === tail.end) return
    // Shorter than before: someone repaired or truncated it. Nothing known about it holds.
    if (size < tail.end) tail = emptyTail
    if (tail.end === 0 && !options.withChain) tail = fromCheckpoint(handle, size)
    tail = scanTail(handle, tail, size)
    if (tail.badSince === null) return
    options.onRepair(repairTail(files, { ...tail, badSince: tail.badSince }, sync))
    tail = scanTail(handle, emptyTail, fs.fstatSync(handle).size)
  }

  const checkpoint = (): void => {
    if (handle === null) return
    const last = readCheckpoints(files.checkpoints).checkpoints.at(-1)
    const bytes = before.bytes + tail.end
    if (last !== undefined && last.bytes >= bytes) return
    const chain = checkpointChain(last?.chain ?? '')
    for (const chunk of sessionBytes(files, last?.bytes ?? 0, bytes)) chain.update(chunk)
    const made: Checkpoint = {
      count: before.lines + tail.lines,
      seq: maxSeq(),
      bytes,
      chain: chain.digest(),
      at: timestamp(),
    }
    if (sync) fs.fsyncSync(handle)
    appendCheckpoint(files.checkpoints, signCheckpoint(files.session, made, options.signer), sync)
    checkpointed = bytes
  }

  const rotateIfFull = (): void => {
    if (handle === null || tail.end < options.rotateBytes) return
    if (checkpointed !== before.bytes + tail.end) checkpoint()
    faultPoint('journal:rotate')
    fs.renameSync(files.log, partPath(files, (listParts(files).at(-1)?.number ?? 0) + 1))
    reopen()
  }

  return {
    refresh,
    append(events) {
      rotateIfFull()
      if (handle === null)
        throw new RepriseError('journal-closed', `the journal of ${files.session} is closed`)
      const first = maxSeq() + 1
      const at = options.withAt ? timestamp() : null
      let chain = options.withChain ? ((tail.lines === 0 ? before.chain : tail.chain) ?? '') : null
      let text = ''
      for (const [index, event] of events.entries()) {
        const made = entryLine(first + index, event, { at, chainAfter: chain })
        text += made.line
        chain = made.chain
      }
      const bytes = Buffer.from(text, 'utf8')
      writeWhole(handle, bytes, tail.end, files)
      tail = {
        end: tail.end + bytes.byteLength,
        lines: tail.lines + events.length,
        maxSeq: first + events.length - 1,
        chain,
        badSince: null,
      }
      return first
    },
    checkpoint,
    get handle() {
      return handle
    },
    close() {
      if (handle !== null) fs.closeSync(handle)
      handle = null
    },
  }
}

function writeWhole(handle: number, bytes: Buffer, end: number, files: SessionFiles): void {
  try {
    faultPoint('journal:write')
    for (let at = 0; at < bytes.byteLength; ) at += fs.writeSync(handle, bytes, at)
    faultPoint('journal:written')
  } catch (error) {
    fs.ftruncateSync(handle, end)
    const system = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new RepriseError('journal-write-failed', `cannot append to ${files.log}: ${system}`, {
      cause: error,
      details: { path: files.log, system },
      hint: 'nothing of the batch was written; free some disk space and append again',
    })
  }
}

function endsLine(handle: number, offset: number): boolean {
  const byte = Buffer.alloc(1)
  return fs.readSync(handle, byte, 0, 1, offset - 1) === 1 && byte[0] === 0x0a
}

function timestamp(): string {
  return dateFrom(now()).toISOString()
}

function statOrNull(path: string): { readonly ino: bigint; readonly size: bigint } | null {
  return fs.statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
}

/** A new file's name is in its folder only when the folder is synced. */
function syncFolder(dir: string): void {
  const handle = fs.openSync(dir, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}
