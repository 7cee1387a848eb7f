/**
 * Reads of the clock, of randomness and of variables that were made at another place. A read that only one
 * run makes is tolerated. One too few here and one too many there, of the same thing, is the same read in
 * another order.
 *
 * Holds a bounded number of reads: those beyond are tolerated, as they are without a counterpart.
 *
 * Decision 0365.
 */
import type { RecordKind } from '../tape/kinds.ts'
import type { Entry } from './comparable.ts'

/** A read that only one tape has, and the last record before it that both have. */
export type LoneRead = { readonly entry: Entry; readonly lastMatch: Entry | null }

export type MovedRead = { readonly recorded: LoneRead; readonly replayed: LoneRead }

type Waiting = { readonly side: 'recorded' | 'replayed'; readonly reads: LoneRead[] }

const MAX_HELD = 10_000

export class MovedReads {
  /** By what is read: all of one side, because two sides make a pair. */
  readonly #waiting = new Map<string, Waiting>()
  #held = 0

  /** The pair that this read completes; null if it is the first of its sort. */
  take(side: 'recorded' | 'replayed', read: LoneRead): MovedRead | null {
    const name = nameOf(read.entry.record.kind)
    if (name === null) return null
    const waiting = this.#waiting.get(name)
    if (waiting === undefined || waiting.side === side || waiting.reads.length === 0) {
      this.#hold(name, side, read, waiting)
      return null
    }
    const other = waiting.reads.shift()
    if (other === undefined) return null
    this.#held -= 1
    return side === 'recorded' ? { recorded: read, replayed: other } : { recorded: other, replayed: read }
  }

  #hold(name: string, side: Waiting['side'], read: LoneRead, waiting: Waiting | undefined): void {
    if (this.#held >= MAX_HELD) return
    this.#held += 1
    if (waiting?.side === side) waiting.reads.push(read)
    else this.#waiting.set(name, { side, reads: [read] })
  }
}

/** What is read; null for records of other sorts. */
function nameOf(kind: RecordKind): string | null {
  switch (kind.kind) {
    case 'clock_read':
      // Functions that read one clock give the same value: the alignment may pair one with the other.
      return `clock ${kind.source}`
    case 'random_read':
      return `random ${kind.api}`
    case 'env_read':
      return `env ${kind.api ?? ''} ${kind.name}`
    default:
      return null
  }
}
