/**
 * What a tape holds, in one document: the answer to "what did this run do?". Lists are bounded; `more` counts
 * what is not listed.
 */
import type { FindingList } from './findings.ts'
import type { Lane } from './rows.ts'

export type Listed<T> = { readonly items: readonly T[]; readonly more: number }

export type TapeOverview = {
  readonly path: string
  /** As typed by the user, or the script and its arguments of a foreign tape. */
  readonly command: readonly string[]
  readonly origin: {
    /** `reprise 0.2.0`, or the writer of a foreign tape. */
    readonly writer: string
    readonly foreign: boolean
    readonly node: string | null
    /** The header as JSON text, or null if it could not be read. */
    readonly header: string | null
  }
  readonly verdict: TapeVerdict
  /** UNIX milliseconds of the first record on the clock of the run, or null. */
  readonly startedAtMs: number | null
  readonly durationMs: number
  readonly rows: number
  /** Records without seal, damage and torn end. */
  readonly records: number
  readonly sizeBytes: number
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null
  readonly boundaries: readonly { readonly name: string; readonly state: string }[]
  readonly kinds: readonly { readonly kind: string; readonly lane: Lane; readonly count: number }[]
  readonly lanes: readonly { readonly lane: Lane; readonly count: number }[]
  readonly llm: LlmTotals
  readonly tools: Listed<ToolCount>
  readonly mcpServers: Listed<{ readonly server: string; readonly calls: number; readonly errors: number }>
  readonly hosts: Listed<{ readonly host: string; readonly exchanges: number; readonly errors: number }>
  readonly files: Listed<FileChange>
  readonly processes: Listed<ProcessRun>
  readonly terminals: Listed<TerminalRun>
  readonly gaps: number
  readonly notes: number
  readonly secretsMasked: number
  readonly findings: FindingList
}

/**
 * `sealed`: closed, and the seal counts the records that are there. `open`: no seal; the run is going on, or
 * was cut off. `damaged`: some lines could not be read. `unreadable`: no header, so no rows. `foreign`:
 * another system's tape, which has no seal. Hashes are not checked here; `reprise verify` does that.
 */
export type TapeVerdict = 'sealed' | 'open' | 'damaged' | 'unreadable' | 'foreign'

export type LlmTotals = {
  readonly calls: number
  readonly errors: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** Sum of what the answers state; null if none states a cost. */
  readonly costUsd: number | null
  /** Milliseconds of all calls together. */
  readonly durationMs: number
  readonly models: Listed<{
    readonly model: string
    readonly calls: number
    readonly inputTokens: number
    readonly outputTokens: number
  }>
  /** The first calls, for a list of turns. */
  readonly turns: Listed<LlmTurn>
}

export type LlmTurn = {
  readonly row: number
  /** From 1, in file order. */
  readonly turn: number
  readonly model: string
  readonly atMs: number
  readonly durationMs: number | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly tools: readonly string[]
  /** Beginning of the answer's text. */
  readonly text: string
  readonly error: string | null
}

/** Calls that the model requested (`llm`), or that reached an MCP server (`mcp`). */
type ToolCount = {
  readonly name: string
  readonly by: 'llm' | 'mcp'
  readonly calls: number
  readonly errors: number
}

export type FileChange = {
  readonly path: string
  readonly writes: number
  readonly deleted: boolean
  /** The last row that changed it. */
  readonly row: number
  readonly sizeBytes: number | null
}

export type ProcessRun = {
  readonly row: number
  readonly command: string
  readonly exitCode: number | null
  readonly signal: string | null
  readonly atMs: number
  readonly durationMs: number
}

export type TerminalRun = {
  readonly row: number
  readonly command: string
  readonly exitCode: number | null
  readonly atMs: number
  /** The item that shows its cassette, or null if there is none. */
  readonly item: string | null
}
