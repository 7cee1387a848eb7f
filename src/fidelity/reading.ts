/**
 * One side of a comparison while it is read: returns its records one by one and keeps what is no record
 * (header, seal, torn end) and what counts (records, gaps). The seal is no record. Chunks that share a record
 * are returned, and count, one by one. Damage ends the comparison: what cannot be read cannot be called equal.
 */
import { damageError } from '../tape/event-tape.ts'
import type { TapeHeader } from '../tape/header.ts'
import type { TapeEvent } from '../tape/parser.ts'
import { separateChunks } from '../tape/separate-chunks.ts'
import type { Entry } from './comparable.ts'
import type { RunEnd, TapeSource } from './source.ts'

export class SideReading {
  readonly source: TapeSource
  readonly #events: Iterator<TapeEvent>
  #ahead: Entry | null = null
  /** Chunks of the last record that have not been returned: they are compared one by one. */
  #chunks: Entry[] = []
  header: TapeHeader | null = null
  seal: RunEnd | null = null
  torn: { readonly line: number; readonly bytes: number } | null = null
  records = 0
  gaps = 0
  firstGap: { readonly seq: number; readonly reason: string } | null = null

  constructor(source: TapeSource) {
    this.source = source
    this.#events = source.events[Symbol.iterator]()
    // The header decides how records are compared, so it is read before the first of them.
    this.#ahead = this.#read()
  }

  /** False if the next entry has not been made yet. */
  get isReady(): boolean {
    return this.#ahead !== null || this.#chunks.length > 0 || (this.source.isReady?.() ?? true)
  }

  next(): Entry | null {
    const entry = this.#ahead
    if (entry === null) return this.#read()
    this.#ahead = null
    return entry
  }

  /** Ends the reading early, so that the file is closed. */
  close(): void {
    this.#events.return?.()
  }

  #read(): Entry | null {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        this.records += 1
        return chunk
      }
      const next = this.#events.next()
      if (next.done === true) {
        this.seal ??= this.source.end?.() ?? null
        return null
      }
      const event = next.value
      switch (event.type) {
        case 'header':
          this.header = event.header
          break
        case 'torn':
          this.torn = { line: event.line, bytes: event.bytes }
          break
        case 'damage':
          throw damageError(this.source.name, event.damage)
        case 'record': {
          const { kind, seq } = event.record
          if (kind.kind === 'tape_seal') {
            this.seal = kind
            break
          }
          const chunks = separateChunks(event.record)
          if (chunks !== null) {
            this.#chunks = chunks.map((record) => ({ record, text: '', line: event.line }))
            break
          }
          this.records += 1
          if (kind.kind === 'gap') {
            this.gaps += 1
            this.firstGap ??= { seq, reason: `${kind.boundary}: ${kind.reason}` }
          }
          return event
        }
      }
    }
  }
}
