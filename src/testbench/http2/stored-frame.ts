/** A frame of HTTP/2 as its record stores it, and back. The code that knows the stream scrubs its data. */
import { type Json, type Label, label } from '../../base/index.ts'
import type { Http2Frame } from '../../boundaries/http2-frame.ts'
import type { HeaderList } from '../../boundaries/session.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedJson, ScrubbedText } from '../../scrub/index.ts'
import type { HeaderPairs, Kind } from '../../tape/index.ts'

/** Everything of a frame but its number and its data. */
export type StoredFrame = {
  readonly frame: Label
  readonly stream?: number
  readonly headers?: Scrubbed<HeaderPairs>
  readonly sensitive?: readonly ScrubbedText[]
  readonly code?: number
  readonly value?: number
  readonly settings?: ScrubbedJson
  readonly flag?: Label
  /** Bytes of the stream that are held back after this record's. */
  readonly held?: number
}

/** The content of one record of a sent frame. */
export type SentItem = {
  readonly fields: StoredFrame
  readonly data: ScrubbedBytes | null
  readonly hits: number
}

/** How the parts of a frame are scrubbed. */
export type FrameScrub = {
  headers(headers: HeaderList): Scrubbed<HeaderPairs>
  text(text: string): ScrubbedText
  value(value: Json): ScrubbedJson
  bytes(bytes: Uint8Array): ScrubbedBytes
}

export const frameNames = {
  headers: label('headers'),
  data: label('data'),
  end: label('end'),
  reset: label('reset'),
  push: label('push'),
  settings: label('settings'),
  ping: label('ping'),
  goaway: label('goaway'),
  window: label('window'),
  other: label('other'),
  held: label('held'),
} as const

const ENDS = { flag: label('stream') } as const
const ACK = { flag: label('ack') } as const

/** `data`: bytes that do not belong to a stream. */
export function stored(
  frame: Http2Frame,
  scrub: FrameScrub,
): { readonly fields: StoredFrame; readonly data?: ScrubbedBytes } {
  const name = frameNames[frame.frame]
  switch (frame.frame) {
    case 'headers':
      return {
        fields: { frame: name, stream: frame.stream, ...block(frame, scrub), ...(frame.ends ? ENDS : {}) },
      }
    case 'data':
      return { fields: { frame: name, stream: frame.stream, ...(frame.ends ? ENDS : {}) } }
    case 'reset':
      return { fields: { frame: name, stream: frame.stream, code: frame.code } }
    case 'push':
      return {
        fields: { frame: name, stream: frame.stream, ...block(frame, scrub), value: frame.promised },
      }
    case 'settings': {
      const settings = scrub.value(frame.settings.map(([id, value]) => [id, value]))
      return { fields: { frame: name, settings, ...(frame.ack ? ACK : {}) } }
    }
    case 'ping':
      return { fields: { frame: name, ...(frame.ack ? ACK : {}) }, data: scrub.bytes(frame.bytes) }
    case 'goaway':
      return {
        fields: { frame: name, code: frame.code, value: frame.last },
        ...(frame.bytes.byteLength === 0 ? {} : { data: scrub.bytes(frame.bytes) }),
      }
    case 'window':
      return { fields: { frame: name, ...ofStream(frame.stream), value: frame.increment } }
    case 'other':
      return {
        fields: { frame: name, ...ofStream(frame.stream), value: frame.type },
        data: scrub.bytes(frame.bytes),
      }
  }
}

/** The frame of a record; null if the record is not delivered. `bytes`: its data. */
export function frameOf(kind: Kind<'http2_frame'>, bytes: Uint8Array): Http2Frame | null {
  const { stream = 0, headers = [], sensitive = [], code = 0, value = 0, flag } = kind
  switch (kind.frame as string) {
    case 'headers':
      return { frame: 'headers', stream, headers, sensitive, ends: flag === ENDS.flag }
    case 'data':
      return { frame: 'data', stream, bytes, ends: flag === ENDS.flag }
    case 'reset':
      return { frame: 'reset', stream, code }
    case 'push':
      return { frame: 'push', stream, promised: value, headers, sensitive }
    case 'settings':
      return { frame: 'settings', settings: settingsOf(kind.settings), ack: flag === ACK.flag }
    case 'ping':
      return { frame: 'ping', bytes, ack: flag === ACK.flag }
    case 'goaway':
      return { frame: 'goaway', last: value, code, bytes }
    case 'window':
      return { frame: 'window', stream, increment: value }
    case 'other':
      return { frame: 'other', type: value, stream, bytes }
    default:
      return null
  }
}

function block(
  { headers, sensitive }: Extract<Http2Frame, { frame: 'headers' | 'push' }>,
  scrub: FrameScrub,
): Pick<StoredFrame, 'headers' | 'sensitive'> {
  return {
    headers: scrub.headers(headers),
    ...(sensitive.length === 0 ? {} : { sensitive: sensitive.map((name) => scrub.text(name)) }),
  }
}

function ofStream(stream: number): { readonly stream?: number } {
  return stream === 0 ? {} : { stream }
}

/** A tape may have been edited by hand. */
function settingsOf(value: unknown): (readonly [number, number])[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((pair: unknown) => {
    const [id, setting] = Array.isArray(pair) ? pair : []
    return typeof id === 'number' && typeof setting === 'number' ? [[id, setting] as const] : []
  })
}
