/**
 * One frame of HTTP/2, decompressed: a header block is a complete list of headers; padding and priorities are
 * dropped.
 */
import type { HeaderList } from '../base/index.ts'

export type Http2Frame =
  /** The head of a message, or its trailers. `sensitive` names headers that must never be indexed. */
  | {
      readonly frame: 'headers'
      readonly stream: number
      readonly headers: HeaderList
      readonly sensitive: readonly string[]
      /** The sender sends no more on this stream. */
      readonly ends: boolean
    }
  | { readonly frame: 'data'; readonly stream: number; readonly bytes: Uint8Array; readonly ends: boolean }
  | { readonly frame: 'reset'; readonly stream: number; readonly code: number }
  | {
      readonly frame: 'push'
      readonly stream: number
      readonly promised: number
      readonly headers: HeaderList
      readonly sensitive: readonly string[]
    }
  | {
      readonly frame: 'settings'
      readonly settings: readonly (readonly [number, number])[]
      readonly ack: boolean
    }
  | { readonly frame: 'ping'; readonly bytes: Uint8Array; readonly ack: boolean }
  | { readonly frame: 'goaway'; readonly last: number; readonly code: number; readonly bytes: Uint8Array }
  | { readonly frame: 'window'; readonly stream: number; readonly increment: number }
  /** An extension: `ALTSVC`, `ORIGIN`, or an unknown one. */
  | { readonly frame: 'other'; readonly type: number; readonly stream: number; readonly bytes: Uint8Array }
