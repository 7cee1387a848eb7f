/**
 * What a boundary and a session exchange about a subprocess: how it is started, and what the program does to
 * it while it runs.
 */
import type { Label } from '../base/index.ts'

/** What is started, and in a recording its immediate result. */
export type ChildStart = {
  readonly program: string
  readonly args: readonly string[]
  /** Null if it has ours. */
  readonly cwd: string | null
  /** What the program set beyond the environment that it was given. */
  readonly env: Readonly<Record<string, string>>
  /** What it gets of the environment that the program was given. */
  readonly inherited?: InheritedEnv
  /** The kind of each of its streams: `pipe`, `channel`, `copied`, `ignore`, `inherit`, … */
  readonly stdio: readonly string[]
  /** Only those that differ from Node's default. */
  readonly options: ChildOptions
  readonly pid: number | null
  /** Zero if it was started. */
  readonly errno: number
  /** Called when it has ended: returns the name of its own tape; null without one. */
  readonly ownTape?: () => string | null
}

/** Names of variables, sorted. */
export type InheritedEnv = {
  /** Null if Node copies the whole environment: then a replay does not have the names. */
  readonly passed: readonly string[] | null
  /** Null if the program has not read which variables there are. */
  readonly withheld: readonly string[] | null
}

export type ChildOptions = {
  readonly detached?: true
  readonly uid?: number
  readonly gid?: number
  readonly argv0?: string
  /** For a call that returns at once: its limits. `maxBuffer` is null if there is none. */
  readonly timeout?: number
  readonly killSignal?: number
  readonly maxBuffer?: number | null
}

/** What the program does to a running subprocess. */
export type ChildSide = {
  /** The pid on the tape. */
  readonly pid: number | null
  readonly errno: number
  /**
   * The program writes bytes to one of its streams. A replay compares them, and returns and keeps the
   * divergence, if any.
   */
  send(stream: Label, bytes: Uint8Array): Error | null
  /** The program has ended that stream. */
  sendEnd(stream: Label): void
  /**
   * For a subprocess served from a tape, in a run that has gone live: a real one takes over. Null if it
   * continues as before. Returns the greeting once.
   */
  takeOver?(): Greeting | null
}

/** What a real subprocess must exchange before the program can continue to talk to it. */
export type Greeting = {
  /** Sent first; empty if nothing is needed. */
  readonly first: Uint8Array
  /**
   * Output of the subprocess. Returns null while it has not replied; then what to send it next, and the rest
   * for the program.
   */
  answered(bytes: Uint8Array): { readonly send: Uint8Array; readonly rest: Uint8Array } | null
}
