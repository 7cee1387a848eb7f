/**
 * The records of a cassette, in memory. Names are camelCase here and foreign on disk (see the codecs):
 * snake_case, with Go's own names inside `size`, `cursor`, `cells` and `exit`. An absent string is '', an
 * absent list is [], as the format's own reader has it.
 */
import type { Json, JsonObject } from '../../base/index.ts'

export type { JsonObject }

export type Size = { readonly rows: number; readonly cols: number }
export type Emulator = { readonly name: string; readonly version: string }

export type Manifest = {
  readonly version: number
  readonly id: string
  readonly contentDigest: { readonly sha256: string }
  readonly harness: {
    readonly name: string
    readonly binaryPathDigestSha256: string
    readonly binaryVersion: string
    readonly capability: JsonObject | null
    readonly accountClass: string
    readonly capturedAt: string
    readonly freshnessWindow: string
  }
  readonly command: {
    readonly argv: readonly string[]
    readonly workdirPolicy: string
    readonly envAllowlist: readonly string[]
    readonly timeoutMs: number
    readonly permissionMode: string
  }
  readonly terminal: {
    readonly initialRows: number
    readonly initialCols: number
    readonly locale: string
    readonly term: string
    readonly ptyMode: JsonObject | null
    readonly emulator: Emulator
  }
  readonly timing: {
    readonly resolutionMs: number
    readonly clockPolicy: string
    readonly replayDefault: string
  }
  readonly provenance: {
    readonly gitSha: string
    readonly contractVersion: string
    readonly os: string
    readonly arch: string
    readonly recordedAt: string
    readonly recorderVersion: string
  }
  readonly requiredFeatures: readonly string[]
  readonly optional: JsonObject | null
}

export type Timed = { readonly seq: number; readonly tMs: number }

export type InputKind = 'input' | 'resize' | 'signal'

export type InputRecord = Timed & {
  /** `input`, `resize` or `signal` in what we write; any text in what we read. */
  readonly kind: string
  readonly bytes: Uint8Array | null
  readonly key: string
  readonly size: Size | null
  readonly signal: string
  /** True for an answer that the terminal gave to a query of the program, which no user typed. */
  readonly reply: boolean
}

export type OutputRecord = Timed & {
  readonly offset: number
  readonly length: number
  readonly sha256: string
}

export type Cursor = { readonly row: number; readonly col: number; readonly visible: boolean }

export type Cell = {
  /** Code point; 0 is the second half of a wide character. */
  readonly char: number
  readonly mode: number
  readonly fg: number
  readonly bg: number
  /** Code points that combine with `char`, or ''. */
  readonly combining: string
}

/** The screen at one moment. */
export type Frame = {
  readonly size: Size
  /** One entry per row, trailing spaces trimmed. */
  readonly text: readonly string[]
  readonly cells: readonly (readonly Cell[])[]
  readonly cursor: Cursor
  readonly title: string
  readonly alternate: boolean
  /** The bytes of the last `feed`, as a range of everything fed. */
  readonly rawStart: number
  readonly rawEnd: number
  /**
   * How many of the bytes fed are on the screen or in the parser: all but an unfinished UTF-8 character at
   * the end.
   */
  readonly parserOffset: number
}

export type FrameRecord = Timed &
  Omit<Frame, 'cells'> & {
    readonly cells: Frame['cells'] | null
    readonly delta: FrameDelta | null
  }

/**
 * The cells that differ from the frame `base` (0: from a blank screen of this size), as runs of one style.
 */
export type FrameDelta = { readonly base: number; readonly runs: readonly DeltaRun[] }

export type DeltaRun = {
  readonly row: number
  readonly col: number
  readonly mode: number
  readonly fg: number
  readonly bg: number
  /** One entry per cell; '' is the second half of a wide character. */
  readonly chars: readonly string[]
}

export type ServiceEventRecord = Timed & { readonly payload: Json }

export type ExitStatus = {
  readonly code: number
  readonly signal: string
  readonly exited: boolean
  readonly signaled: boolean
}

export type FinalRecord = Timed & {
  readonly exit: ExitStatus | null
  readonly durationMs: number
  readonly metadata: JsonObject | null
  readonly usage: JsonObject | null
  readonly costUsd: number
  readonly routingActual: string
  readonly sessionLogPath: string
  readonly finalText: string
}

export type QuotaRecord = {
  readonly source: string
  readonly status: string
  readonly capturedAt: string
  readonly freshnessWindow: string
  readonly stalenessBehavior: string
  readonly accountClass: string
  readonly windows: readonly JsonObject[]
  readonly metadata: JsonObject | null
}

export type DiscoveryRecord = {
  readonly source: string
  readonly status: string
  readonly models: readonly string[]
  readonly reasoningLevels: readonly string[]
  readonly capturedAt: string
  readonly freshnessWindow: string
  readonly stalenessBehavior: string
  readonly metadata: JsonObject | null
}

export type CassetteScrubReport = {
  /** `clean` or `redacted` where a scan ran, `unscanned` where none did; any text in what we read. */
  readonly status: string
  readonly rules: readonly string[]
  readonly hitCounts: Readonly<Record<string, number>>
  readonly envAllowlist: readonly string[]
  readonly intentionallyPreserved: readonly string[]
}

export type CassetteEvent =
  | (Timed & { readonly kind: 'input'; readonly input: InputRecord })
  | (Timed & { readonly kind: 'output'; readonly output: OutputRecord })
  | (Timed & { readonly kind: 'frame'; readonly frame: FrameRecord })
  | (Timed & { readonly kind: 'service-event'; readonly serviceEvent: ServiceEventRecord })
  | (Timed & { readonly kind: 'final'; readonly final: FinalRecord })
