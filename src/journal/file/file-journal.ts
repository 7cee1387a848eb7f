/**
 * A journal in a file: `<dir>/<session>.jsonl`. Many processes may append to one session; no record is lost,
 * doubled or glued.
 *
 * Appends that are under way at the same time go out together: one lock, one write, and with `durability:
 * 'fsync'` one sync for all of them. The lock is let go before the sync, so other processes write meanwhile.
 * `'os'` means that an acknowledged record is with the operating system: it survives the process, not a power
 * cut; `'fsync'` survives both.
 */
import { fromSystemError, isRepriseError, RepriseError } from '../../errors/index.ts'
import { fs, realEnv, realSetImmediate } from '../../real/index.ts'
import { ed25519Signer, type Signer } from '../../real/signing.ts'
import { createScrubber, type ScrubbedText, type Scrubber } from '../../scrub/index.ts'
import type { AppendOptions, FollowOptions, Journal, JournalEntry, ReadOptions } from '../events/journal.ts'
import { writableEvent } from '../events/writable-event.ts'
import { followFiles } from './follow.ts'
import { createLock } from './lock.ts'
import { createLogFile } from './log-file.ts'
import { partsState } from './parts-state.ts'
import { type DamageListener, readJournal } from './read-journal.ts'
import type { Repair } from './repair-tail.ts'
import { type SessionFiles, sessionFiles } from './session-files.ts'
import { emptyTail, scanTail } from './tail-state.ts'

export type FileJournalOptions = {
  readonly dir: string
  readonly session: string
  readonly durability?: 'os' | 'fsync'
  /** Adds the time to each line. Newer upstream readers refuse lines with more than `seq` and `event`. */
  readonly at?: boolean
  /** Adds a hash chain to each line, with the same caveat. */
  readonly chain?: boolean
  /** A checkpoint after so many records of this writer, and at close; 0 for none. */
  readonly checkpointEvery?: number
  /** PKCS#8 PEM of an Ed25519 private key: signs the checkpoints. */
  readonly signingKey?: string
  /** Begins a new file when the current one is this large. */
  readonly rotateBytes?: number
  readonly lockTimeoutMs?: number
  readonly scrubber?: Scrubber
  /** Hears of each repair of the file's end. */
  readonly onRepair?: (repair: Repair) => void
  /** Hears of damage met while reading. */
  readonly onDamage?: DamageListener
}

export type FileJournal = Journal & {
  readonly path: string
  /** Repairs that this journal has made since it was opened. */
  readonly repairs: readonly Repair[]
  checkpoint(): Promise<void>
}

const noop = (): void => undefined

type Waiting = {
  readonly texts: readonly ScrubbedText[]
  resolve(first: number): void
  reject(error: unknown): void
}

export async function openJournal(options: FileJournalOptions): Promise<FileJournal> {
  const files = sessionFiles(options.dir, options.session)
  const signer = options.signingKey === undefined ? null : signerOf(options.signingKey)
  makeFolder(files)
  return createFileJournal(options, files, signer)
}

function createFileJournal(
  options: FileJournalOptions,
  files: SessionFiles,
  signer: Signer | null,
): FileJournal {
  const {
    durability = 'os',
    checkpointEvery = 1000,
    rotateBytes = Number.POSITIVE_INFINITY,
    lockTimeoutMs = 30_000,
  } = options
  const sync = durability === 'fsync'
  const scrubber = options.scrubber ?? createScrubber({ env: realEnv })
  const repairs: Repair[] = []
  const lock = createLock(files.lock, lockTimeoutMs)
  const log = createLogFile({
    files,
    sync,
    withAt: options.at === true,
    withChain: options.chain === true,
    rotateBytes,
    signer,
    onRepair(repair) {
      repairs.push(repair)
      options.onRepair?.(repair)
    },
  })
  let queue: Waiting[] = []
  let flushing: Promise<void> | null = null
  let closed = false
  let sinceCheckpoint = 0

  const flush = async (): Promise<void> => {
    // Let the appends that are made in this turn come together.
    await new Promise<void>((resolve) => void realSetImmediate(resolve))
    while (queue.length > 0) {
      const batch = queue
      queue = []
      await writeBatch(batch)
    }
    flushing = null
  }

  const writeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const { first, handle } = await lock.hold(() => {
        log.refresh()
        const texts =
          batch.length === 1 && batch[0] !== undefined
            ? batch[0].texts
            : batch.flatMap((waiting) => waiting.texts)
        const seq = log.append(texts)
        sinceCheckpoint += texts.length
        if (checkpointEvery > 0 && sinceCheckpoint >= checkpointEvery) tryCheckpoint()
        return { first: seq, handle: log.handle }
      })
      if (sync && handle !== null) await syncFile(handle, files.log)
      let next = first
      for (const waiting of batch) {
        waiting.resolve(next)
        next += waiting.texts.length
      }
    } catch (error) {
      const reason = isRepriseError(error) ? error : fromSystemError(error, 'append to', files.log)
      for (const waiting of batch) waiting.reject(reason)
    }
  }

  /**
   * The batch is written by now: a checkpoint that fails must not make its appends look failed. It is tried
   * again, at close for good.
   */
  const tryCheckpoint = (): void => {
    try {
      log.checkpoint()
      sinceCheckpoint = 0
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }

  /**
   * Takes its turn among the batches: a rotation that it meets must not close a file that is being synced.
   */
  const checkpointNow = async (): Promise<void> => {
    while (flushing !== null) await flushing
    const taken = lock.hold(() => {
      log.refresh()
      log.checkpoint()
      sinceCheckpoint = 0
    })
    flushing = taken.then(noop, noop).then(() => {
      flushing = queue.length > 0 ? flush() : null
    })
    await taken
  }

  const enqueue = (texts: readonly ScrubbedText[]): Promise<number> =>
    new Promise((resolve, reject) => {
      queue.push({ texts, resolve, reject })
      flushing ??= flush()
    })

  const prepare = (event: unknown): ScrubbedText => writableEvent(event, scrubber).text
  const refuseClosed = (): void => {
    if (closed)
      throw new RepriseError('journal-closed', `the journal of ${files.session} is closed`, {
        hint: 'open it again',
      })
  }
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    while (flushing !== null) await flushing
    try {
      if (checkpointEvery > 0 && sinceCheckpoint > 0) await checkpointNow()
    } finally {
      log.close()
    }
  }

  return {
    session: files.session,
    path: files.log,
    repairs,
    async append(event: unknown, appendOptions: AppendOptions = {}) {
      refuseClosed()
      if (appendOptions.eventId !== undefined) throw noEventIds()
      return enqueue([prepare(event)])
    },
    async appendAll(events: readonly unknown[]) {
      refuseClosed()
      const texts = events.map(prepare)
      if (texts.length === 0) return []
      const first = await enqueue(texts)
      return texts.map((_text, index) => first + index)
    },
    read: (readOptions: ReadOptions = {}): AsyncIterable<JournalEntry> =>
      readJournal(files, {
        ...readOptions,
        ...(options.onDamage === undefined ? {} : { onDamage: options.onDamage }),
      }),
    async latestSeq() {
      refuseClosed()
      return latestSeqOf(files)
    },
    follow: (followOptions: FollowOptions = {}) => followFiles(files, followOptions),
    async checkpoint() {
      refuseClosed()
      await checkpointNow()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** By the beginnings of lines, without parsing them and without the lock. */
function latestSeqOf(files: SessionFiles): number {
  const parts = partsState(files)
  if (!fs.existsSync(files.log)) return parts.maxSeq
  const handle = fs.openSync(files.log, 'r')
  try {
    return Math.max(parts.maxSeq, scanTail(handle, emptyTail, fs.fstatSync(handle).size).maxSeq)
  } finally {
    fs.closeSync(handle)
  }
}

function signerOf(pem: string): Signer {
  try {
    return ed25519Signer(pem)
  } catch (error) {
    throw new RepriseError('journal-key-invalid', 'the signing key is not an Ed25519 private key', {
      cause: error,
      hint: 'make one with: openssl genpkey -algorithm ed25519',
    })
  }
}

function makeFolder(files: SessionFiles): void {
  try {
    fs.mkdirSync(files.dir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fromSystemError(error, 'make', files.dir)
  }
}

function syncFile(handle: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(handle, (error) => (error === null ? resolve() : reject(fromSystemError(error, 'sync', path))))
  })
}

function noEventIds(): RepriseError {
  return new RepriseError('journal-event-id', 'a journal file keeps no event ids', {
    hint: 'use the Postgres journal for idempotent appends',
  })
}
