/**
 * Where the page gets everything from. Three sources implement this interface: a loopback server, a static
 * bundle that is read in ranges, and the parts inside an exported HTML file. The page does not know which one
 * it talks to, except through `capabilities`.
 *
 * Methods reject with a `ViewerProblem` (an Error with `code` and `hint`). Numbers outside a list give an
 * empty window, not an error.
 */
import type { AuditDocument, AuditEntries, AuditEntriesRequest, AuditMoment } from './audit.ts'
import type { AlignedRequest, AlignedWindow, ComparisonDocument, ComparisonFinding } from './comparison.ts'
import type { RowDetails } from './details.ts'
import type { ViewerFinding } from './findings.ts'
import type { TapeOverview } from './overview.ts'
import type {
  Buckets,
  BucketsRequest,
  PositionRequest,
  RowPosition,
  RowsRequest,
  RowsWindow,
  SearchRequest,
  SearchResult,
  Spans,
  SpansRequest,
} from './rows.ts'
import type { StateDocument, StateSession, StateVersion } from './state.ts'
import type { CassetteChunks, CassetteDocument, CassetteFrames, ScreenHit } from './terminal.ts'

export type ViewerItem = {
  /**
   * Stable within one viewer: `0`, `1` for the paths given, `0.12` for the cassette of the terminal at record
   * 12 of tape `0`.
   */
  readonly id: string
  readonly type: 'tape' | 'cassette' | 'journal' | 'state'
  /** Short name for tabs. */
  readonly name: string
  readonly path: string
  /** The tape that a cassette belongs to. */
  readonly parent: string | null
}

export type Capabilities = {
  readonly source: 'server' | 'bundle' | 'export'
  /** True if `follow` reports growth. */
  readonly follow: boolean
  readonly search: boolean
  /** Parts that an export left out, for a note on the page: `records`, `payloads`, `terminals`. */
  readonly left_out: readonly string[]
}

export type ViewerDocument = {
  /** Version of Reprise that serves or wrote this. */
  readonly version: string
  readonly items: readonly ViewerItem[]
  /** Set if two tapes are compared: the page opens on the comparison. */
  readonly comparison: { readonly recorded: string; readonly replayed: string } | null
  readonly capabilities: Capabilities
}

/** Reported while a tape is being recorded. */
export type FollowEvent =
  /** The tape has this many rows now; rows before `fromRow` did not change. The overview changed too. */
  | {
      readonly type: 'grown'
      readonly item: string
      readonly rows: number
      readonly fromRow: number
      readonly endMs: number
    }
  /** The seal was written: no more rows come. */
  | { readonly type: 'sealed'; readonly item: string }
  /** The file was replaced or cut: load everything again. */
  | { readonly type: 'replaced'; readonly item: string }
  /** The file cannot be read any more, or the connection to the server was lost (`item` is null then). */
  | { readonly type: 'lost'; readonly item: string | null; readonly message: string }

export type ViewerSource = {
  document(): Promise<ViewerDocument>

  overview(item: string): Promise<TapeOverview>
  rows(item: string, request: RowsRequest): Promise<RowsWindow>
  position(item: string, request: PositionRequest): Promise<RowPosition>
  buckets(item: string, request: BucketsRequest): Promise<Buckets>
  spans(item: string, request: SpansRequest): Promise<Spans>
  details(item: string, row: number): Promise<RowDetails>
  search(item: string, request: SearchRequest): Promise<SearchResult>
  /** The next (`1`) or previous (`-1`) finding that belongs to a row; null if there is none. */
  nextFinding(item: string, row: number, direction: 1 | -1): Promise<ViewerFinding | null>
  /** The row of a record number, or null. */
  rowOfSeq(item: string, seq: number): Promise<number | null>

  /** Bytes `from … to` of a stored content; `to` beyond its end is cut. At most 4 MiB a call. */
  payload(item: string, ref: string, from: number, to: number): Promise<Uint8Array>

  comparison(): Promise<ComparisonDocument>
  aligned(request: AlignedRequest): Promise<AlignedWindow>
  comparisonFinding(finding: number): Promise<ComparisonFinding>

  cassette(item: string): Promise<CassetteDocument>
  cassetteChunks(item: string, from: number): Promise<CassetteChunks>
  /** Windows of at most 100 frames. */
  cassetteFrames(item: string, from: number, count: number): Promise<CassetteFrames>
  /** Bytes of the terminal's output. At most 4 MiB a call. */
  cassetteOutput(item: string, from: number, to: number): Promise<Uint8Array>
  /** Literal text on the screen; the first 500 hits, each where it first appears. */
  cassetteSearch(item: string, text: string): Promise<readonly ScreenHit[]>

  audit(item: string): Promise<AuditDocument>
  auditEntries(item: string, request: AuditEntriesRequest): Promise<AuditEntries>
  auditAt(item: string, index: number): Promise<AuditMoment>

  state(item: string): Promise<StateDocument>
  stateSession(item: string, session: string): Promise<StateSession>
  /** From the oldest version to the present one. */
  stateHistory(item: string, session: string, key: string): Promise<readonly StateVersion[]>

  /**
   * Calls `listener` for each event until the returned function is called. Does nothing if
   * `capabilities.follow` is false.
   */
  follow(listener: (event: FollowEvent) => void): () => void
}

/**
 * The name of every method that takes JSON and returns JSON: also the last part of its path on the server.
 */
export type JsonMethod = Exclude<keyof ViewerSource, 'payload' | 'cassetteOutput' | 'follow'>

type WithoutItem<F> = F extends (item: string, ...rest: infer R) => infer T ? (...rest: R) => T : never

/** Methods about one item, without its name. */
export type ItemMethods<M extends keyof ViewerSource> = { readonly [K in M]: WithoutItem<ViewerSource[K]> }
