/**
 * What a boundary sees of a run that is being recorded or replayed. The same calls in both modes: only the
 * source of the values differs, the world or the tape. A boundary knows no tape.
 *
 * Two sorts of crossing. A *read*, or a call that gives its *answer*, is requested and answered at once. An
 * *effect* is started, and its outcomes come later, through the gate, each in a macrotask of its own.
 *
 * Decision 0150.
 */
import type { HeaderList, Json, Label } from '../base/index.ts'

export type { HeaderList }

export type Session = {
  /**
   * Whether the world answers what the program starts at this boundary from now on. If not, nothing real may
   * be started there. A session may be live at some boundaries only, and that may change while it runs: an
   * effect that has been started has its own answer, `Effect.isLive`.
   */
  isLive(boundary: Label): boolean
  /**
   * A live session that answers some requests from a tape: nothing of a request goes out before its effect
   * has started.
   */
  readonly mayServe?: boolean
  /** What the boundaries keep for this session: read by `sessionField` alone. */
  readonly fields: Map<object, object>
  /** Exact milliseconds. `perform` reads the real clock and is not called in a replay. */
  readClock(api: Label, source: 'wall' | 'monotonic', perform: () => ClockValue): ClockValue
  /**
   * `size`, where the program says how many bytes it wants: a recorded value of another size is not what it
   * asked for.
   */
  readRandom(api: Label, perform: () => Uint8Array, size?: number): Uint8Array
  /**
   * A variable, or a fact of process and machine as text. `api` names where it was read: `process.env`,
   * `os.hostname`.
   */
  readFact(api: Label, name: string, perform: () => string | null): string | null
  /**
   * The program asks for something that takes time. `key` is what makes it equal to a recorded one. Outcomes
   * are handed to `receive` in the program's async context. Throws the divergence when a replay has nothing
   * that matches.
   */
  start(boundary: Label, key: string, receive: (outcome: Outcome) => void, options?: EffectOptions): Effect
  /**
   * The program calls something that gives its one answer at once (`readFileSync`, `spawnSync`). A recording
   * performs it and writes the answer; a replay takes the answer with this key from the tape and performs
   * nothing. `sent` is what the program passes to the call, if the answer has it too: a replay
   * compares. A subprocess is matched by `child`. Throws the divergence when the tape has no such answer, or
   * another content.
   */
  answer(boundary: Label, key: string, perform: () => Answer, sent?: Sent, child?: ChildStart): Answer
  /** Values that the program makes out of secrets. Absent where nothing is scrubbed. */
  readonly derived?: DerivedSecrets
  /** For what a replayed program writes. Absent where nothing is compared. */
  collect?(): Collector
  /** Whether a recording may reach this address. A replay reaches nothing. */
  allowsNetwork(url: string): boolean
  /** Something that could let inputs in unseen, and need not: said once per reason, and no gap. */
  note(boundary: Label, reason: string): void
  /** Something crossed that cannot be captured: said once per reason. */
  gap(boundary: Label, reason: string): void
}

/** `unit` says how `value` is counted: a number of milliseconds, or nanoseconds as a big integer. */
export type ClockValue =
  | { readonly unit: 'ms'; readonly value: number }
  | { readonly unit: 'ns'; readonly value: bigint }

export type EffectOptions = {
  /** False for what does not keep the process alive (an `unref`'d timer). Default true. */
  readonly ref?: boolean
  /**
   * Off-thread work that is no input: done for real in both modes, and said to be done by `arrive({ type:
   * 'completion' })` in both. A replay hands the completion out when it is its turn *and* the work is done.
   */
  readonly real?: boolean
  /** If more than this many characters follow the first word of the key, the tape has the hash of their scrubbed text. */
  readonly maxKeyLength?: number
  /** Milliseconds of a timer that only lets a promise wait: a sleep. */
  readonly sleepMs?: number
  /** What an HTTP effect asks for; method, URL and body are its key. */
  readonly request?: HttpRequest
  /**
   * It only carries other effects: if a replay has no match for it, `start` throws, and nothing is held
   * against the program.
   */
  readonly supporting?: boolean
  /**
   * What the program passes to the call, if its answer has it too: a replay compares when it delivers
   * the answer.
   */
  readonly sent?: Sent
  /** A subprocess; program, arguments and working directory are its key. */
  readonly child?: ChildStart
  /** The effect is a child on a terminal: its output and its input go into a cassette of its own. */
  readonly terminal?: TerminalFacts
  /** The effect is a connection in a protocol that is not known: a stream of bytes in each direction. */
  readonly byteStream?: true
  /** The effect is a server that listens, or one connection to it. */
  readonly server?: 'listening' | 'connection'
}

/** What is started, and in a recording what came of it at once. */
export type ChildStart = {
  readonly program: string
  readonly args: readonly string[]
  /** Null if it has ours. */
  readonly cwd: string | null
  /** What the program set beyond the environment that it was given. */
  readonly env: Readonly<Record<string, string>>
  /** What each of its streams is: `pipe`, `channel`, `copied`, `ignore`, `inherit`, … */
  readonly stdio: readonly string[]
  /** Of these only what is not Node's own choice. */
  readonly options: ChildOptions
  readonly pid: number | null
  /** Zero if it was started. */
  readonly errno: number
  /** Called when it has ended: the name of its own tape; null without one. */
  readonly ownTape?: () => string | null
}

export type ChildOptions = {
  readonly detached?: true
  readonly uid?: number
  readonly gid?: number
  readonly argv0?: string
  /** Of a call that is answered at once: what ends it. `maxBuffer` is null if there is no limit. */
  readonly timeout?: number
  readonly killSignal?: number
  readonly maxBuffer?: number | null
}

/** What the program does to a subprocess that is under way. */
export type ChildSide = {
  /** As the tape has it. */
  readonly pid: number | null
  readonly errno: number
  /**
   * The program hands bytes to one of its streams. A replay compares; the divergence, if there is one, is
   * given back, and kept.
   */
  send(stream: Label, bytes: Uint8Array): Error | null
  /** The program has ended that stream. */
  sendEnd(stream: Label): void
}

/**
 * What a program makes out of a secret (a hash, a signature, a derived key) is a secret too, and a replay
 * cannot make it again. The tape has another value of the same length in its place, and a replay gives that
 * one to the program.
 */
export type DerivedSecrets = {
  /** Whether this input is a secret, contains one, or was made out of one. */
  holds(input: Uint8Array): boolean
  /** `perform` makes the value; a replay does not call it. */
  make(api: Label, perform: () => Uint8Array): Uint8Array
  /** Whether such a value is in these bytes, in hex or base64. */
  isIn(bytes: Uint8Array, value: Uint8Array): boolean
  /** Whether a peer has sent the value before. */
  isReceived(value: Uint8Array): boolean
  /** Bytes that came over a connection. */
  received(bytes: Uint8Array): void
}

/** What the program sends over a connection that is open. */
export type SendSide = {
  /**
   * A replay compares; the divergence, if there is one, is returned, and kept. `isLogin`: the bytes are made
   * out of a secret, so only their number counts.
   */
  send(bytes: Uint8Array, isLogin?: boolean): Error | null
  /** The same for a message of a WebSocket. */
  sendMessage(message: SocketMessage): Error | null
  /** The program has ended its side. */
  sendEnd(): void
}

/** The payload of a `close` is its code, in two bytes, and its reason. */
export type SocketMessage = {
  readonly type: 'ws_message'
  /** `text`, `binary`, `ping`, `pong`, `close`. */
  readonly message: Label
  readonly bytes: Uint8Array
}

/**
 * What the program passes, whole. `recorded` is what it passed when recorded: for callers that only know
 * what was changed in it; `from` is where what was added to its end begins.
 */
export type Sent = ((recorded: Uint8Array, from: number) => Uint8Array) & {
  /** The content, if it went to a collector as it came; null if it did not. */
  readonly collected?: () => Collector | null
}

/** Takes in large content that the program passes piece by piece. Memory does not grow with it. */
export type Collector = {
  add(bytes: Uint8Array): void
  /** Everything that was added, after all. Nothing can be added then. */
  restore(): Uint8Array
}

export type TerminalFacts = {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string | null
  readonly term: string
  readonly cols: number
  readonly rows: number
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
}

/** The head of a request that a server receives. */
export type IncomingRequest = {
  readonly type: 'request'
  readonly method: string
  /** As in the start line: a path, or whatever the client wrote there. */
  readonly target: string
  readonly headers: HeaderList
  /** If it is not 1.1. */
  readonly httpVersion?: string
}

/** What a server sends over one of its connections. */
export type ServedSide = {
  /** The head of an answer; its body and its end follow. */
  answer(head: HttpHead): void
  answerBody(bytes: Uint8Array): void
  /** `isWhole` is false if the connection ended in the middle of the answer. */
  answerEnd(trailers: HeaderList, isWhole: boolean): void
  /** Bytes that belong to no answer: another protocol, or what follows an upgrade. */
  send(bytes: Uint8Array): void
  /** The server will send no more. */
  sendEnd(): void
}

export type Effect = {
  readonly id: number
  /**
   * True: the boundary starts the real thing, and passes what comes of it to `arrive`. False: the outcomes
   * come from a tape, and nothing is started.
   */
  readonly isLive: boolean
  /**
   * The world has answered (or work that is `real` is done). The outcome waits in the gate for its turn.
   * Several may arrive one after the other.
   */
  arrive(outcome: Outcome): void
  /**
   * The program no longer wants it (cleared, aborted, finished): outcomes that still wait are dropped and
   * never recorded.
   */
  close(): void
  /** Whether it keeps the process alive, as `ref` and `unref` say. */
  setRef(ref: boolean): void
  /** Of a subprocess. */
  readonly child?: ChildSide
  /** Of a byte stream. */
  readonly sender?: SendSide
  /** Of a connection to a server. */
  readonly served?: ServedSide
  /**
   * Only of a terminal. A recording keeps it, a replay compares it with what was done when recorded and
   * throws the divergence.
   */
  did?(action: TerminalAction): void
}

export type Outcome =
  | { readonly type: 'timer' }
  /** Off-thread work that is no input: only its place in the order counts. */
  | { readonly type: 'completion' }
  | HttpHead
  | IncomingRequest
  /** `stream` says which one, where an effect has several. */
  | { readonly type: 'chunk'; readonly bytes: Uint8Array; readonly stream?: Label }
  | { readonly type: 'end'; readonly trailers: HeaderList; readonly stream?: Label }
  | { readonly type: 'error'; readonly error: ErrorFacts; readonly stream?: Label }
  /** A whole message of a WebSocket. */
  | SocketMessage
  /** A subprocess has ended. */
  | { readonly type: 'exit'; readonly code: number; readonly signal: Label | null }
  /** The end of a child on a terminal; `signal` is 0 if it ended by itself. */
  | { readonly type: 'terminal_exit'; readonly exitCode: number; readonly signal: number }
  | Answer

/**
 * One answer to one call, given at once or later. It says what happened in the words of the tape; paths are
 * portable already.
 */
export type Answer =
  /** `text` if the bytes are at hand as that, exactly. */
  | { readonly type: 'file_read'; readonly path: string; readonly bytes: Uint8Array; readonly text?: string }
  /**
   * The whole content that the file has now; if something was added to its end, `from` is where that begins.
   */
  | {
      readonly type: 'file_write'
      readonly path: string
      readonly bytes: Uint8Array
      /** In the place of `bytes`, for a content that is too large to hold. */
      readonly pieces?: () => Iterable<Uint8Array>
      readonly from?: number
      readonly ends?: number
    }
  | { readonly type: 'file_delete'; readonly path: string }
  | FsCall
  | {
      readonly type: 'process_spawn'
      readonly program: string
      readonly args: readonly string[]
      readonly cwd: string | null
      readonly exitCode: number
      readonly signal?: Label
      readonly durationMs: number
      readonly stdout: Uint8Array
      readonly stderr: Uint8Array
      readonly stdin?: Uint8Array
      readonly io?: Json
      /** The name of its own tape. */
      readonly tape?: string
    }

export type FsCall = {
  readonly type: 'fs_call'
  readonly call: Label
  readonly path: string
  readonly result: Json
  readonly error: ErrorFacts | null
  /** Bytes that were read. */
  readonly data?: Uint8Array
  /**
   * The stretch of an open file that they belong to: read one after the other, so that a secret may go over
   * their edges.
   */
  readonly stretch?: number
  /** A stretch that is over. */
  readonly ends?: number
}

export type AnswerType = Answer['type']

export type HttpHead = {
  readonly type: 'head'
  readonly status: number
  readonly statusText: string
  readonly headers: HeaderList
  /** If it is not 1.1, and the client can see it. */
  readonly httpVersion?: string
}

/** An error as plain data, enough to make an equal one: see errors.ts of this folder. */
export type ErrorFacts = {
  readonly constructorName: string
  readonly name: string
  readonly message: string
  readonly code?: string
  /** Further own properties: errno, syscall, hostname, address, port. */
  readonly properties?: { readonly [key: string]: string | number | boolean | null }
  readonly cause?: ErrorFacts
  readonly errors?: readonly ErrorFacts[]
}

/**
 * Outcomes that wait for the program beyond this many bytes pause their source: a connection, the output of a
 * child.
 */
export const MAX_WAITING_BYTES = 1024 * 1024
