/**
 * One row in full. `raw` is always there. A payload that is not in the line is a `stored` content: fetch it
 * when it is opened.
 */
import type { Row } from './rows.ts'

export type Content =
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'bytes'; readonly base64: string }
  /** Fetch with `payload(item, ref, from, to)`. `missing`: not in the CAS, or not part of this export. */
  | {
      readonly form: 'stored'
      readonly ref: string
      readonly sizeBytes: number
      readonly hash: string | null
      readonly missing: boolean
    }

export type RowDetails = {
  readonly row: Row
  /** UNIX milliseconds on the clock of the run. */
  readonly wallMs: number | null
  readonly view: DetailView
  /** The line as stored in the file. */
  readonly raw: Content
  /** Rows of the same effect, in order, the first 200. */
  readonly related: readonly Row[]
  readonly relatedMore: number
}

export type DetailView =
  | LlmView
  | HttpView
  | ProcessView
  | FileView
  | McpView
  | TerminalView
  | StreamView
  | DamageView
  /** Everything else: the fields of the record, one per line. */
  | { readonly type: 'fields'; readonly fields: readonly Field[] }

type Field = { readonly name: string; readonly value: Content }

export type LlmView = {
  readonly type: 'llm'
  readonly turn: number
  readonly provider: string | null
  readonly model: string | null
  /**
   * The whole request, put together from the differences in which it is stored; null if it is not on the
   * tape.
   */
  readonly request: LlmRequest | null
  readonly answer: readonly MessagePart[]
  readonly stopReason: string | null
  readonly usage: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cacheReadTokens: number
    readonly cacheWriteTokens: number
    readonly costUsd: number | null
  } | null
  readonly error: string | null
  /** The answer as it arrived, to be played at its recorded speed; empty if it did not stream. */
  readonly stream: readonly StreamPiece[]
  /** The `llm_call` before this one, for a difference of the requests; null for the first. */
  readonly previousRow: number | null
  /** How many messages at the start are those of the previous request. */
  readonly messagesKept: number
}

export type LlmRequest = {
  readonly system: readonly MessagePart[]
  readonly messages: readonly Message[]
  readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: string }[]
  /** Every other member of the request, as JSON text. */
  readonly options: readonly { readonly name: string; readonly json: string }[]
  /** The whole body as JSON text. */
  readonly json: Content
}

export type Message = { readonly role: string; readonly parts: readonly MessagePart[] }

export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool_call'
      readonly id: string | null
      readonly name: string
      readonly arguments: string
    }
  | {
      readonly type: 'tool_result'
      readonly id: string | null
      readonly name: string | null
      readonly text: string
      readonly error: boolean
    }
  /** An image, audio, a file, or a part of an unknown shape: what it is, and its JSON. */
  | { readonly type: 'other'; readonly what: string; readonly json: string }

/** A part of a streamed answer, `afterMs` since the request was sent. */
export type StreamPiece = {
  readonly afterMs: number
  readonly channel: 'text' | 'thinking' | 'tool'
  readonly text: string
}

export type HttpView = {
  readonly type: 'http'
  readonly method: string
  readonly url: string
  readonly status: number | null
  readonly statusText: string
  readonly httpVersion: string
  readonly requestHeaders: readonly HeaderLine[]
  readonly requestBody: Content | null
  readonly responseHeaders: readonly HeaderLine[]
  readonly responseBody: Content | null
  readonly trailers: readonly HeaderLine[]
  readonly error: string | null
  /** The `llm_call` or MCP row that was made of this exchange, or null. */
  readonly meaningRow: number | null
}

export type HeaderLine = readonly [name: string, value: string]

export type ProcessView = {
  readonly type: 'process'
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string | null
  readonly env: readonly HeaderLine[]
  readonly pid: number | null
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdin: Content | null
  readonly stdout: Content | null
  readonly stderr: Content | null
  /** Output in the order in which it came, with its time; the first 1000 pieces. */
  readonly output: readonly { readonly atMs: number; readonly stream: string; readonly content: Content }[]
}

export type FileView = {
  readonly type: 'file'
  readonly action: 'read' | 'write' | 'delete' | 'state' | 'call'
  readonly path: string
  /** The call of `node:fs`, where the record has one. */
  readonly call: string | null
  readonly content: Content | null
  /** Where the content begins in the file, if it is only what was appended; else null. */
  readonly appendedAt: number | null
  /** Content of the same path before this row, for a diff; null if the tape has none. */
  readonly previous: { readonly row: number; readonly content: Content } | null
  readonly mode: number | null
  readonly error: string | null
  readonly result: string | null
}

export type McpView = {
  readonly type: 'mcp'
  readonly server: string
  readonly method: string
  /** Of `tools/call`, `prompts/get`, `resources/read`: which one. */
  readonly name: string | null
  readonly direction: 'call' | 'in' | 'out'
  readonly request: Content | null
  readonly response: Content | null
  readonly outcome: 'result' | 'error' | 'tool error' | null
}

export type TerminalView = {
  readonly type: 'terminal'
  readonly command: string
  readonly exitCode: number | null
  /** The item of its cassette, and the time in it that this row belongs to. */
  readonly item: string | null
  readonly cassetteMs: number | null
}

/** A chunk or the end of a stream. */
export type StreamView = {
  readonly type: 'stream'
  readonly stream: string
  readonly direction: 'in' | 'out'
  readonly n: number | null
  readonly content: Content | null
  readonly error: string | null
}

type DamageView = {
  readonly type: 'damage'
  readonly code: string
  readonly reason: string
  readonly line: number
  readonly offsetBytes: number
  readonly sizeBytes: number
}
