/**
 * A boundary's view of a run that is being recorded or replayed. The calls are the same in both modes; only
 * the source of the values differs: real calls, or the tape. A boundary does not know tapes.
 *
 * There are two kinds of crossings. A *read*, or a call that returns its *answer*, completes at once. An
 * *effect* is started, and its outcomes arrive later, through the gate, each in its own macrotask.
 *
 * Decision 0150.
 */
import type { HeaderList, Label } from '../base/index.ts'
import type { ChildSide, ChildStart } from './child-contract.ts'
import type { Http2Frame } from './http2-frame.ts'
import type {
  Answer,
  AnswerType,
  ErrorFacts,
  FsCall,
  Http2Arrival,
  HttpHead,
  IncomingRequest,
  Outcome,
  SocketMessage,
} from './outcomes.ts'

export type {
  Answer,
  AnswerType,
  ErrorFacts,
  FsCall,
  HeaderList,
  Http2Arrival,
  HttpHead,
  IncomingRequest,
  Outcome,
  SocketMessage,
}

export type Session = {
  /**
   * Whether calls that the program starts at this boundary from now on are really made. If not, nothing real
   * may be started there. A session may be live at some boundaries only, and that may change while it runs.
   * For an effect that was already started, `Effect.isLive` counts.
   */
  isLive(boundary: Label): boolean
  /**
   * Whether this subprocess is live; without it, `isLive` decides. Called before the start, because the pid
   * is an argument of `start`.
   */
  startsLive?(key: string, child: ChildStart): boolean
  /**
   * A live session that serves some requests from a tape: no part of a request is sent before its effect has
   * started.
   */
  readonly mayServe?: boolean
  /** Each `socket.setTimeout` is an effect of its own: the tape is from before a connection kept one. */
  readonly startsIdleLimits?: boolean
  /** For older tapes: after any connection, exchanges of `fetch` are recorded at their connections. */
  readonly keepsDispatchers?: boolean
  /** For older tapes: signatures are not on the tape, and are computed in a replay too. */
  readonly computesSignatures?: boolean
  /** For older tapes: Web Crypto verifies signatures with the key that a replay has. */
  readonly computesVerifications?: boolean
  /** For older tapes: the program gets the placeholder of a private key. */
  readonly keepsKeyText?: boolean
  /** For older tapes: a session of the library uses the dispatcher of the process. */
  readonly sharesDispatchers?: boolean
  /** For older tapes: each append is recorded with the whole content of the file. */
  readonly recordsWholeAppends?: boolean
  /** For older tapes: the masks of Node's own WebSocket are random values of the program. */
  readonly readsMasks?: boolean
  /** For older tapes: a signal that ends the program, and that it sends to itself, does so in a later turn. */
  readonly waitsForOwnSignals?: boolean
  /** For older tapes: `process.kill` with 0 and a pid as text is not on the tape, and asks this machine. */
  readonly asksForTextPids?: boolean
  /** For older tapes: what a program computes when a connection opens can count as the login of another one. */
  readonly sharesLogins?: boolean
  /** Why a call that takes time cannot start now; null if it can. For a boundary that starts its effect later. */
  refusal?(what: string): Error | null
  /** The boundaries' fields of this session: only `sessionField` reads them. */
  readonly fields: Map<object, object>
  /** Exact milliseconds. `perform` reads the real clock and is not called in a replay. */
  readClock(api: Label, source: 'wall' | 'monotonic', perform: () => ClockValue): ClockValue
  /** `size`: how many bytes the program requested. A recorded value of another size does not match. */
  readRandom(api: Label, perform: () => Uint8Array, size?: number): Uint8Array
  /**
   * A variable, or a fact of process and machine as text. `api` names where it was read: `process.env`,
   * `os.hostname`.
   */
  readFact(api: Label, name: string, perform: () => string | null): string | null
  /**
   * The program starts a call whose outcomes come later. `key` decides which recorded call matches. Outcomes
   * are passed to `receive` in the program's async context. Throws the divergence if a replay has no match.
   */
  start(boundary: Label, key: string, receive: (outcome: Outcome) => void, options?: EffectOptions): Effect
  /**
   * The program makes a call that returns its one answer at once (`readFileSync`, `spawnSync`). A recording
   * performs it and writes the answer; a replay reads the answer with this key from the tape and performs
   * nothing. `sent` is what the program passes to the call, if the answer contains it too: a replay compares
   * it. A subprocess is matched by `child`. Throws the divergence if the tape has no such answer, or
   * different content.
   */
  answer(boundary: Label, key: string, perform: () => Answer, sent?: Sent, child?: ChildStart): Answer
  /** Values that the program computes from secrets. Absent if nothing is scrubbed. */
  readonly derived?: DerivedSecrets
  /** For what a replayed program writes. Absent if nothing is compared. */
  collect?(isAppended: boolean): Collector
  /** For the body of a request with these headers. Absent if bodies are held. */
  collectBody?(headers: HeaderList): RequestBody
  /** Whether a recording may reach this address. A replay reaches nothing. */
  allowsNetwork(url: string): boolean
  /** Something that could let inputs in unrecorded, but need not: reported once per reason, and no gap. */
  note(boundary: Label, reason: string): void
  /** A crossing that cannot be captured: reported once per reason. */
  gap(boundary: Label, reason: string): void
}

/** `unit` of `value`: a number of milliseconds, or nanoseconds as a big integer. */
export type ClockValue =
  | { readonly unit: 'ms'; readonly value: number }
  | { readonly unit: 'ns'; readonly value: bigint }

export type EffectOptions = {
  /** False if it does not keep the process alive (an `unref`'d timer). Default true. */
  readonly ref?: boolean
  /**
   * Off-thread work that is no input: really done in both modes, and its end is reported by `arrive({ type:
   * 'completion' })` in both. A replay delivers the completion when it is its turn *and* the work is done.
   */
  readonly real?: boolean
  /**
   * If more than this many characters follow the first word of the key, the tape contains the hash of their
   * scrubbed text.
   */
  readonly maxKeyLength?: number
  /** Milliseconds of a timer that only resolves a promise: a sleep. */
  readonly sleepMs?: number
  /** The request of an HTTP effect; method, URL and body are its key. */
  readonly request?: HttpRequest
  /**
   * It only carries other effects: if a replay has no match for it, `start` throws, but no divergence is
   * reported.
   */
  readonly supporting?: boolean
  /**
   * What the program passes to the call, if its answer contains it too: a replay compares it when it delivers
   * the answer.
   */
  readonly sent?: Sent
  /** A subprocess; program, arguments and working directory are its key. */
  readonly child?: ChildStart
  /** The effect is a child on a terminal: its output and its input go into their own cassette. */
  readonly terminal?: TerminalFacts
  /** The effect is a connection with an unknown protocol: a stream of bytes in each direction. */
  readonly byteStream?: true
  /** The effect is a server that listens, or one connection to it. */
  readonly server?: 'listening' | 'connection'
  /** The effect is a connection of an HTTP/2 client. */
  readonly http2?: true
}

/**
 * A value that a program computes from a secret (a hash, a signature, a derived key) is a secret too, and a
 * replay cannot compute it again. The tape contains another value of the same length, and a replay returns
 * that one to the program.
 */
export type DerivedSecrets = {
  /** Whether this input is a secret, contains one, or was computed from one. */
  holds(input: Uint8Array): boolean
  /**
   * `perform` computes the value; a replay does not call it. `isKept` decides which bytes stay as they are on
   * the tape: the structure that a program parses.
   */
  make(
    api: Label,
    perform: () => Uint8Array,
    isKept?: (value: Uint8Array) => (at: number) => boolean,
  ): Uint8Array
  /** Whether such a value is in these bytes, in hex or base64. */
  isIn(bytes: Uint8Array, value: Uint8Array): boolean
  /** Whether a peer has sent the value before. */
  isReceived(value: Uint8Array): boolean
  /** Bytes that arrived over a connection. */
  received(bytes: Uint8Array): void
}

/** What the program sends over an open connection. */
export type SendSide = {
  /**
   * A replay compares, and returns and keeps the divergence, if any. `isLogin`: the bytes are computed from a
   * secret, so only their number counts.
   */
  send(bytes: Uint8Array, isLogin?: boolean): Error | null
  /** The same for a message of a WebSocket. */
  sendMessage(message: SocketMessage): Error | null
  /** The program has ended its side. */
  sendEnd(): void
}

/** What the program sends over an HTTP/2 connection. */
export type FrameSide = {
  /** A replay compares, and returns and keeps the divergence, if any. */
  send(frame: Http2Frame): Error | null
}

/**
 * What the program passes, whole. `recorded` is what it passed when recorded, for callers that only know what
 * was changed in it. `from` is the offset of the part that was appended.
 */
export type Sent = ((recorded: Uint8Array, from: number) => Uint8Array) & {
  /** The content, if it went to a collector in pieces; null if it did not. */
  readonly collected?: () => Collector | null
}

/** Receives large content that the program passes in pieces. Memory does not grow with it. */
export type Collector = {
  add(bytes: Uint8Array): void
  /** Everything that was added. Nothing can be added afterwards. */
  restore(): Uint8Array
}

export type TerminalFacts = {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string | null
  readonly term: string
  readonly cols: number
  readonly rows: number
  readonly start: TerminalStart
}

/** Beyond program, arguments, folder and size. */
export type TerminalStart = Pick<ChildStart, 'env' | 'inherited'> & {
  /** Only those that the program gives. */
  readonly options: { readonly uid?: number; readonly gid?: number }
}

/** What a program does to a terminal that it drives. */
export type TerminalAction =
  | { readonly type: 'write'; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly type: 'signal'; readonly signal: string }

export type HttpRequest = {
  readonly method: string
  readonly url: string
  readonly headers: HeaderList
  readonly body: Uint8Array | null
  /** The bytes were copied from those of the program: they never change. */
  readonly isCopy?: boolean
  /** Replaces `body` for a body that is too large to hold. */
  readonly collected?: RequestBody
}

/** Receives the body of a request in pieces. Memory does not grow with it. */
export type RequestBody = {
  /** `isBorrowed`: the program may change the bytes after the call. */
  add(bytes: Uint8Array, isBorrowed?: boolean): void
  /** The request is not made after all. */
  drop(): void
}

/** What a server sends over one of its connections. */
export type ServedSide = {
  /** The head of a response; its body and its end follow. */
  answer(head: HttpHead): void
  answerBody(bytes: Uint8Array): void
  /** `isWhole` is false if the connection ended in the middle of the response. */
  answerEnd(trailers: HeaderList, isWhole: boolean): void
  /** Whether messages of a WebSocket are recorded. If not, they are bytes. */
  readonly hasMessages: boolean
  /** A message of a WebSocket. Returns the divergence if the recording sent another one. */
  sendMessage(message: SocketMessage): Error | null
  /** Bytes that belong to no response: another protocol, or what follows an upgrade. */
  send(bytes: Uint8Array): void
  /** The server will send no more. */
  sendEnd(): void
  /**
   * The program has written much that the client has not read. True: it waits for a `completion`, the moment at
   * which the client has. False: it goes on.
   */
  waitForClient(): boolean
}

export type Effect = {
  readonly id: number
  /**
   * True: the boundary makes the real call, and passes its outcomes to `arrive`. False: the outcomes come
   * from a tape, and nothing is started.
   */
  readonly isLive: boolean
  /**
   * A real outcome (or work that is `real` is done). It waits in the gate for its turn. Several may arrive
   * one after the other.
   */
  arrive(outcome: Outcome): void
  /** Outcomes that still wait are dropped and never recorded. The effect stays open. */
  dropWaiting(): void
  /**
   * The program no longer wants it (cleared, aborted, finished): waiting outcomes are dropped and never
   * recorded.
   */
  close(): void
  /** Whether it keeps the process alive, as set by `ref` and `unref`. */
  setRef(ref: boolean): void
  /** For a subprocess. */
  readonly child?: ChildSide
  /** For a byte stream. */
  readonly sender?: SendSide
  /** For a connection to a server. */
  readonly served?: ServedSide
  /** For an HTTP/2 connection, on either side. */
  readonly frames?: FrameSide
  /**
   * Only for a terminal. A recording stores it; a replay compares it with the recorded one and throws the
   * divergence.
   */
  did?(action: TerminalAction): void
}

/**
 * If more than this many bytes of outcomes wait for the program, their source is paused: a connection, the
 * output of a child.
 */
export const MAX_WAITING_BYTES = 1024 * 1024

/** A request body above this many bytes goes to the session in pieces. */
export const LARGE_BODY_BYTES = 4 * 1024 * 1024
