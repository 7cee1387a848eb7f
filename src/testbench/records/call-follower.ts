import type { Json } from '../../base/index.ts'
import type { HeaderList } from '../../boundaries/session.ts'
import type { ScrubbedBytes, ScrubbedJson } from '../../scrub/index.ts'

export type Ending =
  | { readonly type: 'end' }
  /** The connection failed or broke; `error` is what the program received. */
  | { readonly type: 'error'; readonly error: Json }
  /** The program no longer wanted it. */
  | { readonly type: 'abandoned' }

/** Follows an HTTP exchange that is a call of a model, or that carries MCP. */
export type CallFollower = {
  /** The form of the body in `effect_start`, if it contains the whole body. */
  readonly request: ScrubbedJson | undefined
  /** `effect_start` was written as this record, at this time of the run. */
  started(seq: number, atMs: number): void
  /** The exchange was written, with its status. */
  answered(status: number | null, headers: HeaderList): void
  bytes(bytes: ScrubbedBytes): void
  /** The record that contains the bytes has been written. */
  written?(atMs: number): void
  /** `encoding` is the encoding that the bytes still have. */
  ended(ending: Ending, encoding: string): void
}
