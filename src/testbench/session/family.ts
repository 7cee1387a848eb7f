/**
 * An effect family: everything that is specific to one kind of effect. The session kernel knows families only
 * by these types, and calls the code of one family for the effects of that family alone.
 *
 * `describe` gives the match key from the scrubbed request, with the same function in every mode. `open`
 * gives the code of one effect: `encode` writes what is delivered as records, in every mode; `decode` reads
 * deliveries from the records of a tape.
 */
import type { Label } from '../../base/index.ts'
import type { ChildSide, ChildStart } from '../../boundaries/child-contract.ts'
import type {
  EffectOptions,
  FrameSide,
  Outcome,
  SendSide,
  Sent,
  ServedSide,
  TerminalAction,
} from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { ScrubbedBytes, ScrubbedJson, ScrubbedText, Scrubber } from '../../scrub/index.ts'
import type { Chunk, RecordKind, TapeHeader, TapeRecord, TapeRecorder } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import type { ForeignSpawns } from '../tape-index/foreign-spawns.ts'
import type { Refusal } from '../tape-index/recorded-refusals.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import type { Delivery, GivenAnswer } from './delivery.ts'
import type { SessionSecrets } from './derived-secrets.ts'
import type { Received } from './received.ts'

/** One row of the registry. */
export type EffectFamily = {
  readonly name: string
  /** Whether an effect that is started with these options belongs to it. */
  takes(options: EffectOptions): boolean
  create(tools: Tools, calls: CallFamily): SessionFamily
}

/** A family in one session. */
export type SessionFamily = {
  describe(id: number, start: EffectStart): Description
  /** The program has ended: writes what is left. */
  end?(): void
  /** What was recorded and did not happen again, at the end of a replay. */
  leftovers?(): readonly Divergence[]
}

/** What a boundary passes to `start`. */
export type EffectStart = { readonly boundary: Label; readonly key: string; readonly options: EffectOptions }

export type Description = {
  /** Match keys, best first. The first one is written to the tape. */
  readonly keys: readonly [ScrubbedText, ...ScrubbedText[]]
  /** What `effect_start` holds beyond id, boundary and key. */
  start?(origin: Origin): { readonly request?: ScrubbedJson | undefined; readonly pid?: number }
  /** What a request is about, if it is not plain HTTP: decides which word of `--live` it belongs to. */
  readonly subject?: 'llm' | 'mcp' | undefined
  /** The body of a request, for the message about a miss. */
  readonly body?: Uint8Array | null
  open(origin: Origin): EffectCode
  /** The tape does not have the effect: a family may serve it in another way. Null if it cannot. */
  unmatched?(miss: () => Divergence): Unmatched | null
}

/** Where the outcomes of an effect come from: the world, or this effect of a tape. */
export type Origin = WorldOrigin | { readonly type: 'tape'; readonly effect: number }

/** `played`: nothing is performed. A source gives the outcomes that the world would have given. */
type WorldOrigin = { readonly type: 'world'; readonly played?: { readonly pid: number } }

export type Unmatched = {
  readonly code: EffectCode
  /** The tape has a record of it, but none of our kinds: no `effect_start` is written. */
  readonly isForeign?: true
  /** Delivered one after the other, in no order with anything else. */
  readonly outcomes: readonly Outcome[]
}

/** The code of one effect, while it is open. */
export type EffectCode = {
  /** `effect_start` was written as this record, at this time of the run. */
  started?(seq: number, atMs: number): void
  /**
   * Writes what is delivered. Returns what the program gets instead, if what it sent differs from the
   * recording.
   */
  encode(delivery: Delivery): Outcome | null
  /** Reads the deliveries of one record of the tape. */
  decode?(record: TapeRecord): readonly Delivery[]
  /** The program wants no more of it. Writes what it has seen and the scrubber holds back. */
  abandon(): void
  /** Whether the scrubber holds back bytes that the program has seen. */
  readonly isHolding?: boolean
  /** Whether something may still come without the program doing anything. Undefined: until it is closed. */
  isBusy?(): boolean
  /** Of a subprocess. */
  readonly child?: ChildSide
  /** Of a byte stream. */
  readonly sender?: SendSide
  /** Of a connection to a server. */
  readonly served?: ServedSide
  /** Of a connection that speaks HTTP/2. */
  readonly frames?: FrameSide
  /** Of a terminal. Throws the divergence. */
  did?(action: TerminalAction): void
  /** The program has sent less than it had when the next delivery was recorded: the delivery waits. */
  isBehind?(next?: TapeRecord): boolean
  /**
   * The program has left its tape and does not send that: what answers it is not delivered. True if the
   * delivery need not wait any more.
   */
  skipSent?(): boolean
  /** A record of the tape that holds what the program sent. */
  recordedSent?(record: TapeRecord): void
  /**
   * The run has gone live, and this effect with it: what was requested before is still answered by the tape,
   * the rest by the world.
   */
  leaveTape?(): void
}

/** Calls that return at once. */
export type CallFamily = {
  /** The match keys of a call, best first. */
  keys(key: string, child: ChildStart | undefined): readonly [ScrubbedText, ...ScrubbedText[]]
  decode(record: TapeRecord): GivenAnswer
  /** The key of a call on the tape. */
  keyOf(record: TapeRecord): ScrubbedText
  /**
   * Writes the answer. Returns the divergence if what the program sends with the call differs from the
   * recording.
   */
  encode(
    given: GivenAnswer,
    asked: CallReference,
    sent: Sent | undefined,
    child: ChildStart | undefined,
    what: string,
  ): Divergence | null
  /**
   * A record of the tape that nothing delivers has come up: its counterpart of this run is written now.
   */
  reached(record: TapeRecord): void
  /** Throws the divergence if a subprocess is started in another way than when recorded. */
  check(record: TapeRecord, key: string, child: ChildStart | undefined): void
  /** Answers a call that the tape does not have, if that can be done. */
  unmatched(child: ChildStart | undefined): GivenAnswer | null
}

export type CallReference = { readonly of: number } | { readonly key: ScrubbedText }

/** What the families of a session share. */
export type Tools = {
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  /** The tape being written; cassettes are stored next to it. Null if there is none. */
  readonly out: string | null
  readonly tape: TapeTools | null
  readonly received: (origin: Origin) => Received
  /** Values that the program computes from secrets. */
  readonly derived: () => SessionSecrets
  /** Writes the divergence to the tape and keeps it. */
  diverge(divergence: Divergence): Divergence
  /** Writes a refusal of the tape once more, and returns the error that the program gets. */
  refuseAgain(refusal: Refusal): Error
  /**
   * Whether what the program sends may differ from the tape: it was given something else than when recorded.
   */
  readonly mayDiffer: () => boolean
  /** Whether the run may leave its tape: a what-if or a fork. */
  readonly mayLeave: boolean
  /** Delivers an outcome that no source has. */
  deliver(id: number, outcome: Outcome): void
}

/** The tape that outcomes are read from. */
export type TapeTools = {
  readonly path: string
  readonly header: TapeHeader
  readonly payloads: TapePayloads
  /** A path of this machine as the recording had it. */
  readonly moved: (text: string) => string
  readonly index: TapeIndex
  /** The key, if the tape has an effect with this very key: such a key was scrubbed when it was written. */
  knownKey(boundary: string, key: string): ScrubbedText | null
  /**
   * The bytes, if a chunk of the tape in its line has just these: they were scrubbed when it was written. Null
   * for any others.
   */
  knownBytes(chunk: Chunk, bytes: Uint8Array): ScrubbedBytes | null
  /** A key that was read from the tape. */
  keyText(key: string): ScrubbedText
  /** Subprocesses that only a `process_spawn` describes. */
  readonly foreign: ForeignSpawns
  /** Records that have not had their turn, in the order of the tape. */
  ahead(): Iterable<TapeRecord>
  unread(): Iterable<TapeRecord>
  /**
   * The next such record that this run has not written, if it comes before the next delivery. Null once the
   * run is live.
   */
  next(wanted: (kind: RecordKind) => boolean): TapeRecord | null
  /** Whether the run is live: what it sends has no counterpart on the tape, and is written at once. */
  hasLeft(): boolean
}
