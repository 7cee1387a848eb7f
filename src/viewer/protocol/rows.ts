/**
 * Rows: the lines of a tape in file order, one row each, numbered from 0. The header and blank lines are no
 * rows; a damaged line and a torn end are rows of their own (`damage`, `torn`), so that nothing in the file
 * is invisible.
 *
 * A list asks for windows of rows by position within a filter. A timeline asks for buckets (counts per lane)
 * and for the longest spans.
 */

/** Lanes of the timeline, in the order in which they are drawn. */
export const LANES = [
  'llm',
  'mcp',
  'network',
  'files',
  'processes',
  'terminal',
  'clock',
  'inputs',
  'other',
  'findings',
] as const
export type Lane = (typeof LANES)[number]

/** The size of a window. A request for more rows is answered with this many. */
export const WINDOW_ROWS = 200

export type Phase = 'user_script' | 'runtime_finalize'

export type Row = {
  readonly row: number
  /** The record's own number; null for `damage` and `torn`. */
  readonly seq: number | null
  /** Name of the record's kind, or `damage`, `torn`. */
  readonly kind: string
  readonly lane: Lane
  readonly phase: Phase
  /** Milliseconds since the start of the recording, when the record was written. */
  readonly atMs: number
  /**
   * How long it took, ending at `atMs`; null where that is not known. The span is `[atMs - durationMs,
   * atMs]`.
   */
  readonly durationMs: number | null
  /** One line of text for the list, at most 200 characters. */
  readonly title: string
  readonly tone: 'plain' | 'error' | 'warning'
  /**
   * Row that started the effect this row belongs to; its own number for an `effect_start`; null without an
   * effect.
   */
  readonly effectRow: number | null
  /** Secrets that were masked in it. */
  readonly masked: number
  readonly sizeBytes: number
}

/** Every member narrows. An empty object selects all rows. */
export type RowFilter = {
  readonly kinds?: readonly string[]
  readonly lanes?: readonly Lane[]
  readonly phase?: Phase
  /** Time of the recording in milliseconds, both inclusive. */
  readonly fromMs?: number
  readonly toMs?: number
  /** Row numbers, `fromRow` inclusive, `toRow` exclusive. */
  readonly fromRow?: number
  readonly toRow?: number
  /** Literal text, ASCII letters match in either case; searched in the line and in stored payloads. */
  readonly text?: string
  /** Only rows of the effect that this row started. */
  readonly effectRow?: number
  /**
   * Only rows that matter for the story of the run: calls, exchanges, processes, changed files, terminals,
   * findings.
   */
  readonly notable?: boolean
}

export type RowsRequest = { readonly filter: RowFilter; readonly from: number; readonly count: number }

export type RowsWindow = {
  /** Rows that match the filter. A lower bound if `capped`. */
  readonly total: number
  /** True where a text search stopped at its limit of matches. */
  readonly capped: boolean
  /** Position of the first row within the filter. */
  readonly from: number
  readonly rows: readonly Row[]
}

/** Where a row is within a filter: to scroll a filtered list to it. */
export type PositionRequest = { readonly filter: RowFilter; readonly row: number }
/** The number of matching rows before `row`, and whether `row` itself matches. */
export type RowPosition = { readonly position: number; readonly matches: boolean }

/** `time`: milliseconds of the recording. `record`: row numbers, for a tape whose clock does not advance. */
export type TimelineAxis = 'time' | 'record'

export type BucketsRequest = {
  readonly axis: TimelineAxis
  /** In units of the axis; `to` is exclusive. */
  readonly from: number
  readonly to: number
  /** Number of buckets, at most 2000. */
  readonly count: number
}

export type Buckets = {
  readonly axis: TimelineAxis
  readonly from: number
  readonly to: number
  /** Per lane of `LANES`, in that order: rows in each bucket. */
  readonly lanes: readonly (readonly number[])[]
  /** First row of each bucket, and one more entry for the end: what a click in a bucket selects. */
  readonly firstRows: readonly number[]
  /** False where counts were spread evenly inside blocks of 256 rows, because the range is large. */
  readonly exact: boolean
}

export type SpansRequest = {
  readonly axis: TimelineAxis
  readonly from: number
  readonly to: number
  /**
   * At most this many, at most 2000: the longest ones in the range, in file order. Rows without duration
   * count as zero long.
   */
  readonly limit: number
}

export type Span = {
  readonly row: number
  readonly lane: Lane
  readonly kind: string
  readonly fromMs: number
  readonly toMs: number
  readonly tone: Row['tone']
}

export type Spans = {
  readonly spans: readonly Span[]
  /** True if every row of the range is in `spans`. */
  readonly complete: boolean
}

export type SearchRequest = {
  readonly text: string
  readonly from: number
  readonly count: number
  readonly filter?: RowFilter
}

export type SearchHit = {
  readonly row: Row
  /** The text around the match: `before + match + after`. */
  readonly before: string
  readonly match: string
  readonly after: string
  /** Where it was found: the line, or a stored payload. */
  readonly where: 'line' | 'payload'
}

export type SearchResult = {
  readonly total: number
  readonly capped: boolean
  readonly from: number
  readonly hits: readonly SearchHit[]
}
