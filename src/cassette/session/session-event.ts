/** What happens in a session, in the order in which it happened. */
import type { ExitStatus, Size } from '../codec/records.ts'

export type SessionEvent = { readonly atMs: number } & (
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'input'; readonly bytes: Uint8Array; readonly key: string; readonly reply: boolean }
  | { readonly kind: 'resize'; readonly size: Size }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'exit'; readonly exit: ExitStatus; readonly timedOut: boolean }
)
