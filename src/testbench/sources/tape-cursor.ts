/**
 * The position of a replay on its tape. Records come one by one; the reads of one turn are between two
 * deliveries (outcomes that the gate delivers).
 *
 * A read uses the next recorded read of its own kind in this turn. Unused reads of a turn are counted when
 * the next delivery is taken. Memory does not grow with the tape, only with records that are read ahead, and
 * with answers that were not requested.
 */

import { Queue } from '../../base/index.ts'
import type { Kind, TapeRecord } from '../../tape/index.ts'
import {
  type AnsweredAtOnce,
  type Delivery,
  effectOf,
  isAnsweredAtOnce,
  isDelivery,
  isTogether,
} from '../records/delivered-kinds.ts'
import type { RecordStream } from './record-stream.ts'

type ReadName = 'clock_read' | 'random_read'
type ReadOf<N extends ReadName> = TapeRecord & { readonly kind: Kind<N> }
type Read = ReadOf<ReadName>
type RandomRead = ReadOf<'random_read'>

/** Records that are held to find a read or an answer of a later turn. */
const MAX_AHEAD = 10_000
const NETWORK = 'network'

export class TapeCursor {
  readonly #stream: RecordStream
  #passed: (record: TapeRecord) => void = () => undefined
  /** The position of the next record. */
  #at = 0
  /** By kind and api, without a name that is made of both: there may be millions of reads. */
  readonly #reads = {
    clock_read: new Map<string, Queue<Read>>(),
    random_read: new Map<string, Queue<Read>>(),
  }
  readonly #answers = new Map<string, Queue<AnsweredAtOnce>>()
  /** The ends of stretches of files, which earlier reads may need. */
  readonly #tails: TapeRecord[] = []
  /** Positions of reads and answers that were used before their turn. */
  readonly #usedAhead = new Set<number>()
  /** How far each of them was looked for: nothing before that position is left. */
  readonly #searched = new Map<string, number>()
  /**
   * Requests up to here, by effect, that the program may not have made yet. Node reads the body of a `Blob` or a form
   * in turns of the event loop that nothing records. Null: the program has left one out, and is not waited for again.
   */
  #requests: Set<number> | null = new Set()
  #delivery: Delivery | null = null
  #wanted: AnsweredAtOnce | null = null
  #wantedRead: Read | null = null
  readonly left = { clock: 0, random: 0 }
  /** Counts the outcomes that were passed: each begins a turn. */
  turn = 0

  constructor(stream: RecordStream) {
    this.#stream = stream
  }

  /** Called for records that are neither read, nor delivered, nor the answer to a call. */
  onPassed(passed: (record: TapeRecord) => void): void {
    this.#passed = passed
  }

  /** The next read of this api in this turn, or null if the turn has none left. */
  takeRead<N extends ReadName>(kind: N, api: string): ReadOf<N> | null {
    const left = this.#reads[kind].get(api)?.shift()
    if (left !== undefined) return left as ReadOf<N>
    while (this.#delivery === null && this.#pull(null, kind, api)) {
      const read = this.#wantedRead
      this.#wantedRead = null
      if (read !== null) return read as ReadOf<N>
    }
    return null
  }

  /**
   * The next random read of a later turn, for a run that has left its tape: it may have skipped what is
   * between. Each is used once.
   */
  takeRandomAhead(
    api: string,
    size: number | undefined,
    sizeOf: (read: RandomRead) => number,
  ): RandomRead | null {
    return this.#takeAhead(`${size ?? ''} ${api}`, (record): record is RandomRead => {
      if (record.kind.kind !== 'random_read' || record.kind.api !== api) return false
      return size === undefined || sizeOf(record as RandomRead) === size
    })
  }

  /** The next answer to this call in a later turn, for a run that has left its tape. */
  takeAnswerAhead(name: string): AnsweredAtOnce | null {
    return this.#takeAhead(
      `call ${name}`,
      (record): record is AnsweredAtOnce => isAnsweredAtOnce(record) && record.kind.key === name,
    )
  }

  #takeAhead<R extends TapeRecord>(name: string, isWanted: (record: TapeRecord) => record is R): R | null {
    const end = this.#at + MAX_AHEAD
    let at = Math.max(this.#at, this.#searched.get(name) ?? 0)
    let found: R | null = null
    for (; found === null && at < end; at += 1) {
      const record = this.#stream.at(at)
      if (record === null) break
      if (!this.#usedAhead.has(at) && isWanted(record)) found = record
    }
    if (found !== null) this.#usedAhead.add(at - 1)
    this.#searched.set(name, at)
    return found
  }

  /** The earliest unused answer to this call, of this turn or of an earlier one. */
  takeAnswer(name: string): AnsweredAtOnce | null {
    for (;;) {
      const known = this.#answers.get(name)
      const answer = known?.shift()
      if (known?.size === 0) this.#answers.delete(name)
      if (answer !== undefined) return answer
      if (this.#delivery !== null || !this.#pull(name)) return null
      const passed = this.#wanted
      this.#wanted = null
      if (passed !== null) return passed
    }
  }

  /** Answers on the tape up to here that were not requested, in the order of the tape. */
  answersLeft(): readonly AnsweredAtOnce[] {
    return [...this.#answers.values()].flatMap((known) => [...known]).sort((a, b) => a.seq - b.seq)
  }

  /** Records that have not been delivered, in the order of the tape, without advancing. */
  *unread(): Generator<TapeRecord> {
    yield* [...this.answersLeft(), ...this.#tails].sort((a, b) => a.seq - b.seq)
    if (this.#delivery !== null) yield this.#delivery
    yield* this.lookAhead()
  }

  /** The next outcome on the tape, or null at its end. */
  peekDelivery(): Delivery | null {
    while (this.#delivery === null && this.#pull());
    return this.#delivery
  }

  /** Reads that the program did not make, those of the last turn included. */
  readsLeft(): { readonly clock: number; readonly random: number } {
    const left = { ...this.left }
    for (const reads of this.#reads.clock_read.values()) left.clock += reads.size
    for (const reads of this.#reads.random_read.values()) left.random += reads.size
    return left
  }

  /** Advances past the next outcome, into the turn that it begins. */
  passDelivery(): void {
    const { clock_read: clock, random_read: random } = this.#reads
    if (clock.size > 0 || random.size > 0) {
      Object.assign(this.left, this.readsLeft())
      clock.clear()
      random.clear()
    }
    this.#delivery = null
    this.turn += 1
  }

  /**
   * Advances past the next outcome if it arrived together with the one before it, of this effect; null if it
   * did not.
   */
  passTogether(effect: number): Delivery | null {
    const next = this.peekDelivery()
    if (next === null || effectOf(next) !== effect || !isTogether(next)) return null
    this.passDelivery()
    return next
  }

  /** Whether the recording had made a request by now that this run has not made. */
  isRequestMissing(isMade: (effect: number) => boolean): boolean {
    for (const effect of this.#requests ?? []) {
      if (!isMade(effect)) return true
      this.#requests?.delete(effect)
    }
    return false
  }

  forgetRequests(): void {
    this.#requests = null
  }

  /** Records after the next outcome, without advancing. */
  *lookAhead(): Generator<TapeRecord> {
    for (let at = this.#at; ; at += 1) {
      const record = this.#stream.at(at)
      if (record === null) return
      yield record
    }
  }

  /**
   * The next answer to the call `wanted`, and the next read of this kind and api, are not put with the others:
   * they are used at once.
   */
  #pull(wanted: string | null = null, wantedRead: ReadName | null = null, wantedApi = ''): boolean {
    const record = this.#stream.at(this.#at)
    if (record === null) return false
    this.#at += 1
    this.#stream.release('taken', this.#at)
    if (this.#usedAhead.delete(this.#at - 1)) return true
    if (isRead(record)) {
      const { kind } = record
      const api = kind.kind === 'clock_read' ? (kind.api ?? kind.source) : kind.api
      if (kind.kind === wantedRead && api === wantedApi) {
        this.#wantedRead = record
        return true
      }
      queueOf(this.#reads[kind.kind], api).push(record)
    } else if (isAnsweredAtOnce(record)) {
      if (record.kind.key === wanted) {
        this.#wanted = record
        return true
      }
      queueOf(this.#answers, record.kind.key).push(record)
    } else if (isDelivery(record)) this.#delivery = record
    else {
      if (record.kind.kind === 'fs_call') this.#tails.push(record)
      if (record.kind.kind === 'effect_start' && record.kind.boundary === NETWORK)
        this.#requests?.add(record.kind.id)
      this.#passed(record)
    }
    return true
  }
}

function queueOf<T>(queues: Map<string, Queue<T>>, name: string): Queue<T> {
  const known = queues.get(name)
  if (known !== undefined) return known
  const queue = new Queue<T>()
  queues.set(name, queue)
  return queue
}

function isRead(record: TapeRecord): record is Read {
  return record.kind.kind === 'clock_read' || record.kind.kind === 'random_read'
}
