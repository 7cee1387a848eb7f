/**
 * What a program receives: the outcomes of an effect, and the answers of calls. Plain data, the same in a
 * recording and a replay.
 */
import type { HeaderList, Json, Label } from '../base/index.ts'
import type { Http2Frame } from './http2-frame.ts'

export type Outcome =
  | { readonly type: 'timer' }
  /** Off-thread work that is no input: only its position in the order counts. */
  | { readonly type: 'completion' }
  | HttpHead
  | IncomingRequest
  /** `stream` identifies the stream, if an effect has several. */
  | { readonly type: 'chunk'; readonly bytes: Uint8Array; readonly stream?: Label }
  | { readonly type: 'end'; readonly trailers: HeaderList; readonly stream?: Label }
  | { readonly type: 'error'; readonly error: ErrorFacts; readonly stream?: Label }
  /** A whole message of a WebSocket. */
  | SocketMessage
  | Http2Arrival
  /** A subprocess has ended. */
  | { readonly type: 'exit'; readonly code: number; readonly signal: Label | null }
  /** The end of a child on a terminal; `signal` is 0 if no signal ended it. */
  | { readonly type: 'terminal_exit'; readonly exitCode: number; readonly signal: number }
  | Answer

/** The payload of a `close` is its code, in two bytes, and its reason. */
export type SocketMessage = {
  readonly type: 'ws_message'
  /** `text`, `binary`, `ping`, `pong`, `close`. */
  readonly message: Label
  readonly bytes: Uint8Array
}

/** A frame that arrived over an HTTP/2 connection. */
export type Http2Arrival = { readonly type: 'http2'; readonly frame: Http2Frame }

/** The head of a request that a server receives. */
export type IncomingRequest = {
  readonly type: 'request'
  readonly method: string
  /** As in the start line: a path, or any other text of the client. */
  readonly target: string
  readonly headers: HeaderList
  /** If it is not 1.1. */
  readonly httpVersion?: string
  /** The whole body, if it came together with the head. Without it, chunks and an end follow. */
  readonly body?: Uint8Array
  /** Head and body as they came, if they can be passed on unchanged. */
  readonly bytes?: Uint8Array | undefined
}

export type HttpHead = {
  readonly type: 'head'
  readonly status: number
  readonly statusText: string
  readonly headers: HeaderList
  /** If it is not 1.1, and the client can see it. */
  readonly httpVersion?: string
}

/**
 * One answer to one call, returned at once or later. It uses the field values of the tape; paths are already
 * portable.
 */
export type Answer =
  /** `text`, if the bytes are also available as exactly this text. */
  | { readonly type: 'file_read'; readonly path: string; readonly bytes: Uint8Array; readonly text?: string }
  /**
   * The whole content of the file now; if something was appended, `from` is the offset of the appended part. With
   * `whole`, `bytes` is the appended part alone: what was before it has been recorded.
   */
  | {
      readonly type: 'file_write'
      readonly path: string
      readonly bytes: Uint8Array
      /** Replaces `bytes` for content that is too large to hold. */
      readonly pieces?: () => Iterable<Uint8Array>
      readonly from?: number
      readonly whole?: () => Uint8Array
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
   * The stretch of an open file that they belong to: consecutive reads, so that a secret may cross their
   * edges.
   */
  readonly stretch?: number
  /** A stretch that has ended. */
  readonly ends?: number
}

export type AnswerType = Answer['type']

/** An error as plain data, enough to create an equal one: see errors.ts of this folder. */
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
