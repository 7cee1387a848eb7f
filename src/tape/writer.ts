/**
 * Appends records to a tape, one line each, in the order of `append`.
 *
 * A line is with the operating system before the tick that made it ends, so a crash loses at most that tick.
 * A payload is renamed into place before the line that names it: a reader never meets a hash without its
 * bytes. The first write error is kept, stops the writing and is shown by `close`; it never reaches the
 * program that is being recorded. Takes only `Scrubbed` values. Only `close` seals.
 *
 * Decisions 0004 and 0209.
 */
import { dirname } from 'node:path'
import { type ContentHash, faultPoint } from '../base/index.ts'
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import type { Signer } from '../real/signing.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedText } from '../scrub/index.ts'
import { type CasWriter, createCasWriter, removeCas } from './cas.ts'
import { removeCassettes } from './cassettes-folder.ts'
import { removeChildren } from './children-folder.ts'
import type { Chunk, Payload } from './fields.ts'
import { FirstFailure } from './first-failure.ts'
import { encodeHeader, type TapeHeader } from './header.ts'
import { type Durability, LineFile } from './line-file.ts'
import { chunkOf, type PutBytes, payloadOf } from './payload.ts'
import { createPayloadStream, type PayloadStream, type Spill } from './payload-stream.ts'
import { encodeRecord, type TapeRecord } from './record.ts'
import { refuseLinks } from './refuse-links.ts'
import { createSeal, type SealFacts } from './seal.ts'
import { encodeSigned } from './seal-signature.ts'

export const writerFaultPoints = [
  'tape.open',
  'tape.header',
  'tape.append',
  'tape.sync',
  'tape.seal',
  'tape.close',
] as const

export type WriterOptions = {
  /**
   * `os`: a record survives the process. `fsync`: it survives a power cut too, at a hundred times the cost.
   * Default `os`.
   */
  readonly durability?: Durability
  /** Replaces an existing tape and its CAS; without it an existing file is refused. */
  readonly force?: boolean
  /** Signs the seal. */
  readonly signer?: Signer
}

export type TapeReceipt = {
  readonly path: string
  readonly records: number
  readonly bytes: number
  readonly chain: ContentHash
}

export class TapeWriter implements Disposable {
  readonly path: string
  readonly #file: LineFile
  readonly #cas: CasWriter
  readonly #signer: Signer | null
  readonly #put: PutBytes
  #records = 0
  #last = { seq: -1, virtualTimeMs: 0, monotonicMs: 0 }
  readonly #writes = new FirstFailure()
  #state: 'open' | 'closed' = 'open'

  private constructor(path: string, file: LineFile, options: WriterOptions) {
    this.path = path
    this.#file = file
    this.#cas = createCasWriter(path, options.durability ?? 'os')
    this.#signer = options.signer ?? null
    // A payload that cannot be stored fails the tape, not the program. The line that names it is not written
    // either.
    this.#put = (hash, bytes) => this.#writes.attempt(() => this.#cas.put(hash, bytes))
  }

  /**
   * Creates the tape and writes its header. Throws if that cannot be done; from then on nothing but `close`
   * throws.
   */
  static open(path: string, header: Scrubbed<TapeHeader>, options: WriterOptions = {}): TapeWriter {
    return TapeWriter.openCopy(path, encodeHeader(header) as ScrubbedText, options)
  }

  /** As `open`, with the header line of a tape that is being copied, as the text that it was. */
  static openCopy(path: string, header: ScrubbedText, options: WriterOptions = {}): TapeWriter {
    refuseLinks(path)
    try {
      // Behind the wall of a replay Node denies it, also for a folder that is there.
      if (!fs.existsSync(dirname(path))) fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      if (options.force === true) removeTape(path)
      const writer = new TapeWriter(path, new LineFile(path, options.durability ?? 'os'), options)
      writer.#writes.attempt(() => {
        faultPoint('tape.header')
        writer.#file.append(header)
        writer.#file.flush()
      })
      return writer
    } catch (error) {
      throw fromSystemError(error, 'write', path)
    }
  }

  /** The first write error, or null. Nothing is written after it. */
  get failure(): RepriseError | null {
    const failure = this.#writes.error ?? this.#file.failure
    return failure === null ? null : writeFailed(this.path, this.#records, failure)
  }

  /** Gives the line of the record. */
  append(record: Scrubbed<TapeRecord>): string {
    if (this.#state === 'closed') throw closedError(this.path)
    const line = encodeRecord(record)
    if (this.#writes.error !== null) return line
    this.#last = record
    this.#records += 1
    this.#file.append(line)
    return line
  }

  /** Appends a record that was read from a tape and not changed, as the text that it was. */
  copy(record: Scrubbed<TapeRecord>, text: ScrubbedText): void {
    if (this.#state === 'closed') throw closedError(this.path)
    if (this.#writes.error !== null) return
    this.#last = record
    this.#records += 1
    this.#file.append(text)
  }

  /**
   * Calls `complete` before lines go to the operating system, at the end of this tick at the latest. It appends
   * a record that was not whole yet.
   */
  beforeFlush(complete: () => void): void {
    this.#file.beforeFlush(complete)
  }

  payload(bytes: ScrubbedBytes, likely?: string): Scrubbed<Payload> {
    return payloadOf(bytes, this.#put, likely)
  }

  /** A payload of any size, piece by piece. */
  payloadStream(): PayloadStream {
    return createPayloadStream(
      (bytes) => this.payload(bytes),
      () => this.#spill(),
    )
  }

  chunk(bytes: ScrubbedBytes): Scrubbed<Chunk> {
    return chunkOf(bytes, this.#put)
  }

  /** Hands all lines to the operating system now, for a process about to be killed from inside. */
  flush(): void {
    this.#file.flush()
  }

  /** Seals and closes. Throws `tape-write-failed` if the tape is not whole. */
  close(facts: Scrubbed<SealFacts> = {}): TapeReceipt {
    if (this.#state === 'closed') throw closedError(this.path)
    this.#file.flush()
    const chain = this.#file.digest()
    this.#writes.attempt(() => {
      faultPoint('tape.seal')
      if (this.#file.failure !== null) return
      const { seq, virtualTimeMs, monotonicMs } = this.#last
      const kind = createSeal(this.#records, chain, facts)
      const seal = { seq: seq + 1, phase: 'runtime_finalize', virtualTimeMs, monotonicMs, kind } as const
      this.#file.append(this.#signer === null ? encodeRecord(seal) : encodeSigned(seal, this.#signer))
    })
    this.abandon()
    const { failure } = this
    if (failure !== null) throw failure
    return { path: this.path, records: this.#records, bytes: this.#file.sizeBytes, chain }
  }

  /** Closes without a seal: the tape is then reported as cut off. */
  abandon(): void {
    if (this.#state === 'closed') return
    this.#file.flush()
    this.#state = 'closed'
    this.#file.close()
  }

  [Symbol.dispose](): void {
    this.abandon()
  }

  #spill(): Spill {
    let file: Spill | null = null
    this.#writes.attempt(() => {
      file = this.#cas.spill()
    })
    const withFile = (use: (file: Spill) => void): void =>
      this.#writes.attempt(() => void (file !== null && use(file)))
    return {
      write: (bytes) => withFile((spill) => spill.write(bytes)),
      keep: (hash) => withFile((spill) => spill.keep(hash)),
      drop: () => withFile((spill) => spill.drop()),
    }
  }
}

/**
 * Removes a tape that is to be replaced, and what belongs to it. A folder is left alone: opening it fails
 * with a clear error.
 */
export function removeTape(path: string): void {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.isDirectory()) return
  fs.unlinkSync(path)
  removeCas(path)
  removeCassettes(path)
  removeChildren(path)
}

function writeFailed(path: string, records: number, cause: unknown): RepriseError {
  const system = fromSystemError(cause, 'write', path)
  return new RepriseError('tape-write-failed', `the tape ${path} was not written whole: ${system.message}`, {
    details: { path, records, system: system.details.system },
    hint: system.hint ?? 'record again',
    cause,
  })
}

function closedError(path: string): RepriseError {
  return new RepriseError('tape-closed', `the tape ${path} has been closed`, {
    details: { path },
    hint: 'open a new one',
  })
}
