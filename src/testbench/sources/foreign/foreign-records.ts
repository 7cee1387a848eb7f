/**
 * The records of a foreign tape, in order, and which of them the program has used. A call that returns at
 * once uses the first free record. An effect may use a later one, because several effects can run at the same
 * time. Holds only free records, and at most one window of them.
 */
import type { Kind, TapeRecord } from '../../../tape/index.ts'

/** Kinds that a program can use. */
const SERVED = [
  'clock_read',
  'clock_sleep',
  'file_read',
  'file_write',
  'file_delete',
  'process_spawn',
  'llm_call',
  'mcp_json_rpc',
] as const

export type ForeignKind = Kind<(typeof SERVED)[number]>
export type ForeignRecord = TapeRecord & { readonly kind: ForeignKind }
export type ForeignOf<N extends ForeignKind['kind']> = TapeRecord & { readonly kind: Kind<N> }

/** How many records beyond the first one an effect may use. */
const WINDOW = 1000

const NAMES: ReadonlySet<string> = new Set(SERVED)

export class ForeignRecords {
  readonly #source: Iterator<TapeRecord>
  #ahead: ForeignRecord[] = []
  #nextSeq = 0
  /** Records that no program can use: evaluations, jobs, unknown kinds. */
  readonly unserved: TapeRecord[] = []

  readonly #passed: (record: TapeRecord) => void

  /** `passed` is called with each record that no program can use. */
  constructor(source: Iterable<TapeRecord>, passed: (record: TapeRecord) => void) {
    this.#source = source[Symbol.iterator]()
    this.#passed = passed
  }

  /** The first free record; null at the end of the tape. */
  first(): ForeignRecord | null {
    return this.#at(0)
  }

  /** The first record in the window that is wanted. */
  find(wanted: (record: ForeignRecord) => boolean): ForeignRecord | null {
    for (let at = 0; at < WINDOW; at += 1) {
      const record = this.#at(at)
      if (record === null || wanted(record)) return record
    }
    return null
  }

  /** The program has used it, or continues without it. */
  take(record: ForeignRecord): void {
    const at = this.#ahead.indexOf(record)
    if (at === 0) this.#ahead.shift()
    else if (at > 0) this.#ahead.splice(at, 1)
  }

  /** All free records, to the end of the tape. */
  *left(): Generator<ForeignRecord> {
    for (let record = this.first(); record !== null; record = this.first()) {
      this.take(record)
      yield record
    }
  }

  #at(at: number): ForeignRecord | null {
    while (this.#ahead.length <= at) {
      const next = this.#source.next()
      if (next.done === true) return null
      const record = this.#inOrder(next.value)
      if (isServed(record)) this.#ahead.push(record)
      else {
        this.#passed(record)
        if (this.unserved.length < WINDOW) this.unserved.push(record)
      }
    }
    return this.#ahead[at] ?? null
  }

  /** Harn does not check its numbers: one that repeats or goes back gets the next one. */
  #inOrder(record: TapeRecord): TapeRecord {
    const seq = Math.max(record.seq, this.#nextSeq)
    this.#nextSeq = seq + 1
    return seq === record.seq ? record : { ...record, seq }
  }
}

function isServed(record: TapeRecord): record is ForeignRecord {
  return NAMES.has(record.kind.kind)
}

export function isKind<N extends ForeignKind['kind']>(
  record: ForeignRecord | null,
  name: N,
): record is ForeignRecord & ForeignOf<N> {
  return record !== null && record.kind.kind === name
}

/** A record in a few words. */
export function recordText({ kind }: ForeignRecord): string {
  switch (kind.kind) {
    case 'clock_read':
      return `clock_read ${kind.source}`
    case 'clock_sleep':
      return `clock_sleep ${kind.durationMs} ms`
    case 'file_read':
    case 'file_write':
    case 'file_delete':
      return `${kind.kind} ${JSON.stringify(kind.path)}`
    case 'process_spawn':
      return `process_spawn ${[kind.program, ...kind.args].join(' ')}`
    case 'llm_call':
      return `llm_call ${shortHash(kind.requestDigest)}`
    case 'mcp_json_rpc':
      return `mcp_json_rpc ${kind.server} ${kind.method}`
  }
}

export function shortHash(hash: string): string {
  return `${hash.slice(0, 12)}…`
}
