/**
 * Reads a record from the bytes of its line, if the line is exactly as `encodeRecord` writes it. Builds no
 * parsed object in between, and needs no search for fractions: it accepts digits only.
 *
 * Any other line is null: one with unknown members, another order, white space, `escapes`, or damage. The
 * caller parses it, so this file refuses nothing.
 *
 * Decision 0585.
 */
import { createKindReader, type KindReader } from './kind-reader.ts'
import { kinds, type RecordKind } from './kinds.ts'
import { bytesOf, LineCursor } from './line-cursor.ts'
import type { Phase, TapeRecord } from './record.ts'

const SEQ = bytesOf('{"type":"record","seq":')
const USER_SCRIPT = bytesOf(',"phase":"user_script","virtual_time_ms":')
const FINALIZE = bytesOf(',"phase":"runtime_finalize","virtual_time_ms":')
const MONOTONIC = bytesOf(',"monotonic_ms":')
const KIND = bytesOf(',"kind":{"kind":')
const SCRUBBED = bytesOf(',"scrubbed":')

/**
 * So many lines of a process are left to the caller. V8 takes longer to optimize the code for bytes than a
 * short tape takes to parse.
 */
const MANY = 16_384
let lines = 0

/** After that, so many records of a kind are read before its reader is worth compiling. */
const OFTEN = 16

type Known = { count: number; read: KindReader | null }

/** Filled as kinds come: most tapes have few of them. */
const known = new Map<string, Known>()

export class RecordReader {
  readonly #line = new LineCursor()
  readonly #isKept: boolean

  /** `isKept`: the caller keeps the text of every line, so that texts of a record may be slices of it. */
  constructor(isKept: boolean) {
    this.#isKept = isKept
  }

  /** The line is at `from` in `bytes`, followed by a line break; `text` is the same. */
  read(bytes: Buffer, from: number, lengthBytes: number, text: string): TapeRecord | null {
    if (lines < MANY) {
      lines += 1
      return null
    }
    const line = this.#line
    line.start(bytes, from, text, lengthBytes === text.length, this.#isKept)
    try {
      const record = readRecord(line)
      return line.hasFailed || line.at !== from + lengthBytes ? null : record
    } catch {
      // The caller parses the line, and reports what is wrong with it.
      return null
    }
  }
}

function readRecord(line: LineCursor): TapeRecord | null {
  if (!line.skip(SEQ)) return null
  const seq = line.integer()
  const phase = readPhase(line)
  if (phase === null) return null
  const virtualTimeMs = line.integer()
  if (!line.skip(MONOTONIC)) return null
  const monotonicMs = line.integer()
  if (!line.skip(KIND)) return null
  const kind = readerOf(line.text())?.(line) as RecordKind | null | undefined
  if (kind === null || kind === undefined) return null
  const record = { seq, phase, virtualTimeMs, monotonicMs, kind }
  if (!line.skip(SCRUBBED)) {
    line.close()
    return record
  }
  const scrubbed = line.integer()
  line.close()
  return { ...record, scrubbed }
}

function readPhase(line: LineCursor): Phase | null {
  if (line.skip(USER_SCRIPT)) return 'user_script'
  return line.skip(FINALIZE) ? 'runtime_finalize' : null
}

function readerOf(kind: string): KindReader | null {
  const found = known.get(kind)
  if (found === undefined) {
    if (Object.hasOwn(kinds, kind)) known.set(kind, { count: 1, read: null })
    return null
  }
  if (found.count < OFTEN) {
    found.count += 1
    if (found.count === OFTEN) found.read = createKindReader(kind, kinds[kind as keyof typeof kinds])
  }
  return found.read
}
