/**
 * A whole tape in memory: header, records, payloads. For tests, small tools and foreign tapes; commands use
 * the streaming reader instead.
 *
 * A record that was loaded and not changed is written from its own text, so integers beyond 2^53, `1.0` and
 * `-0.0` survive. `load` refuses damage in the middle with its code and line; a torn last line is dropped and
 * reported in `torn`.
 */
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ContentHash } from '../base/index.ts'
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { realPid } from '../real/process.ts'
import type { Scrubbed, ScrubbedBytes } from '../scrub/index.ts'
import { fromDisk } from '../scrub/scrubbed.ts'
import { createCasWriter, hasCasEntry, readCasEntry } from './cas.ts'
import type { Chunk, Payload } from './fields.ts'
import { decodeHeader, encodeHeader, type TapeHeader } from './header.ts'
import { type Damage, recordFromText } from './parser.ts'
import { casReferences, payloadBytes } from './payload.ts'
import { readTapeBatches } from './reader.ts'
import { encodeRecord, type TapeRecord } from './record.ts'

export type TornLine = { readonly line: number; readonly bytes: number }

export class EventTape {
  readonly header: Scrubbed<TapeHeader>
  readonly records: Scrubbed<TapeRecord>[]
  /** The unfinished last line that `load` dropped, or null. */
  readonly torn: TornLine | null
  readonly #payloads: Map<ContentHash, () => ScrubbedBytes>
  /** What `load` read, object by object, with the text of its line. Looked up only by `persist`. */
  #loaded: { readonly objects: readonly object[]; readonly texts: readonly string[] } = {
    objects: [],
    texts: [],
  }

  private constructor(
    header: Scrubbed<TapeHeader>,
    records: Scrubbed<TapeRecord>[],
    payloads: Map<ContentHash, () => ScrubbedBytes>,
    torn: TornLine | null,
  ) {
    this.header = header
    this.records = records
    this.torn = torn
    this.#payloads = payloads
  }

  static create(
    header: Scrubbed<TapeHeader>,
    records: Iterable<Scrubbed<TapeRecord>> = [],
    payloads: ReadonlyMap<ContentHash, ScrubbedBytes> = new Map(),
  ): EventTape {
    return new EventTape(
      header,
      [...records],
      new Map([...payloads].map(([hash, bytes]) => [hash, () => bytes])),
      null,
    )
  }

  static async load(path: string): Promise<EventTape> {
    return EventTape.loadSync(path)
  }

  static loadSync(path: string): EventTape {
    const records: Scrubbed<TapeRecord>[] = []
    const texts: string[] = []
    const payloads = new Map<ContentHash, () => ScrubbedBytes>()
    let header: Scrubbed<TapeHeader> | null = null
    let headerText = ''
    let torn: TornLine | null = null
    for (const events of readTapeBatches(path, undefined, undefined, true)) {
      for (const event of events) {
        switch (event.type) {
          case 'header':
            header = fromDisk(event.header)
            headerText = event.text
            break
          case 'record':
            records.push(fromDisk(event.record))
            texts.push(event.text)
            for (const { contentHash, lenBytes } of casReferences(event.record.kind)) {
              if (!payloads.has(contentHash) && hasCasEntry(path, contentHash)) {
                payloads.set(contentHash, () => fromDisk(readCasEntry(path, contentHash, lenBytes)))
              }
            }
            break
          case 'damage':
            throw damageError(path, event.damage)
          case 'torn':
            torn = { line: event.line, bytes: event.bytes }
        }
      }
    }
    if (header === null)
      throw new RepriseError('tape-empty', `empty tape file: ${path}`, { details: { path } })
    const tape = new EventTape(header, records, payloads, torn)
    tape.#loaded = { objects: [header, ...records], texts: [headerText, ...texts] }
    return tape
  }

  /** How many payloads lie outside the lines. */
  get casSize(): number {
    return this.#payloads.size
  }

  /** The bytes of a payload, checked against its hash when they come from the CAS. */
  resolvePayload(payload: Payload | Chunk): Uint8Array {
    return payloadBytes(payload, ({ contentHash }) => {
      const bytes = this.#payloads.get(contentHash)
      if (bytes !== undefined) return bytes()
      throw new RepriseError('cas-missing', `tape CAS missing entry for ${contentHash}`, {
        details: { hash: contentHash },
      })
    })
  }

  /**
   * Writes the tape to `path`, payloads first, and replaces what is there in one rename. Does not seal: a
   * seal that was loaded is written as it is, and stops being true if anything before it was changed.
   */
  async persist(path: string): Promise<void> {
    this.#write(path, (temp) => fs.renameSync(temp, path))
  }

  /** The same, and refuses a tape that is there. */
  async persistNew(path: string): Promise<void> {
    if (fs.existsSync(path)) throw existsError(path)
    this.#write(path, (temp) => {
      // A link fails where a rename would replace.
      fs.linkSync(temp, path)
      fs.unlinkSync(temp)
    })
  }

  #write(path: string, place: (temp: string) => void): void {
    const temp = `${path}.${realPid}.tmp`
    try {
      fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const cas = createCasWriter(path, 'os')
      for (const [hash, bytes] of this.#payloads) cas.put(hash, bytes())
      this.#writeLines(temp)
      place(temp)
    } catch (error) {
      // Not `rmSync` with `force`: where a file is in the place of the folder it throws, and hides why.
      if (fs.existsSync(temp)) fs.rmSync(temp)
      throw error instanceof RepriseError ? error : fromSystemError(error, 'write', path)
    }
  }

  #writeLines(path: string): void {
    const texts = new Map(this.#loaded.objects.map((object, at) => [object, this.#loaded.texts[at]]))
    const descriptor = fs.openSync(path, 'wx', 0o600)
    try {
      let batch = `${headerLine(this.header, texts.get(this.header))}\n`
      for (const record of this.records) {
        batch += `${recordLine(record, texts.get(record))}\n`
        if (batch.length < 1_000_000) continue
        writeAll(descriptor, batch)
        batch = ''
      }
      writeAll(descriptor, batch)
    } finally {
      fs.closeSync(descriptor)
    }
  }
}

/**
 * `text` is what the header was read from. Compared, not trusted: a caller in plain JavaScript may have
 * changed the object in place.
 */
function headerLine(header: Scrubbed<TapeHeader>, text: string | undefined): string {
  return text !== undefined && isDeepStrictEqual(decodeHeader(text, ''), header) ? text : encodeHeader(header)
}

function recordLine(record: Scrubbed<TapeRecord>, text: string | undefined): string {
  return text !== undefined && isDeepStrictEqual(recordFromText(text), record) ? text : encodeRecord(record)
}

function existsError(path: string): RepriseError {
  return new RepriseError('out-exists', `create new tape ${path}: it is there already`, {
    details: { path },
    hint: 'choose another name',
  })
}

export function damageError(path: string, damage: Damage): RepriseError {
  return new RepriseError(damage.code, `tape ${path} is damaged at line ${damage.line}: ${damage.reason}`, {
    details: { path, line: damage.line, offset: damage.offset, bytes: damage.bytes },
    hint: `reprise inspect shows what is whole, reprise repair ${path} --out FILE saves it`,
  })
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(descriptor, bytes, at)
}
