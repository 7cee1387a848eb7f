/**
 * Every kind of record that the gate delivers to the program, in one table: its effect, its content under
 * another effect number, and a short description. An answer that was returned at once belongs to no effect,
 * and the gate does not deliver it.
 */
import { label } from '../../base/index.ts'
import type { Kind, KindName, TapeRecord } from '../../tape/index.ts'
import type { AnswerKind } from './answers.ts'

type Row<N extends KindName> = {
  /** The effect whose outcome it is; null if it delivers nothing. */
  readonly effect: (kind: Kind<N>) => number | null
  readonly summary: (kind: Kind<N>) => string
}

type Names =
  | 'timer_fire'
  | 'clock_sleep'
  | 'completion'
  | 'http_exchange'
  | 'server_request'
  | 'ws_message'
  | 'http2_frame'
  | 'stream_chunk'
  | 'stream_end'
  | 'file_read'
  | 'file_write'
  | 'file_delete'
  | 'fs_call'
  | 'process_spawn'
  | 'process_exit'
  | 'terminal_output'
  | 'terminal_session'

type DeliveredKind = Kind<Names>
export type Delivery = TapeRecord & { readonly kind: DeliveredKind }
export type AnsweredAtOnce = TapeRecord & { readonly kind: AnswerKind & { readonly key: string } }

const SENT = label('sent')

const byId = {
  effect: (kind: { readonly id: number }): number => kind.id,
}
const byOf = {
  effect: (kind: { readonly of?: number }): number | null => kind.of ?? null,
}

const table: { readonly [N in Names]: Row<N> } = {
  timer_fire: { ...byId, summary: ({ id }) => `timer #${id} to fire` },
  clock_sleep: { ...byOf, summary: ({ durationMs }) => `the end of a sleep of ${durationMs} ms` },
  completion: { ...byOf, summary: ({ of }) => `the end of #${of}` },
  http_exchange: { ...byId, summary: ({ method, url }) => `the answer to ${method} ${url}` },
  ws_message: {
    ...byOf,
    effect: ({ of, direction }) => (direction === 'in' ? of : null),
    summary: ({ n, of, message }) => `${message} message ${n} of #${of}`,
  },
  // Bytes that were held back were delivered before.
  http2_frame: {
    ...byOf,
    effect: ({ of, direction, frame }) => (direction === 'in' && frame !== 'held' ? of : null),
    summary: ({ of, frame, stream }) =>
      `${frame}${stream === undefined ? '' : ` of stream ${stream}`} of #${of}`,
  },
  server_request: { ...byOf, summary: ({ method, target }) => `the request ${method} ${target}` },
  stream_chunk: {
    ...byOf,
    effect: ({ of, direction }) => (direction === 'in' ? of : null),
    summary: ({ n, of, stream }) => `chunk ${n} of ${stream === undefined ? '' : `${stream} of `}#${of}`,
  },
  // A close by the program delivers nothing.
  stream_end: {
    ...byOf,
    effect: ({ of, closedBy }) => (closedBy === undefined ? of : null),
    summary: ({ of, stream }) => `the end of ${stream === undefined ? '' : `${stream} of `}#${of}`,
  },
  file_read: { ...byOf, summary: ({ path }) => `the content of ${path}` },
  file_write: { ...byOf, summary: ({ path }) => `the end of writing ${path}` },
  file_delete: { ...byOf, summary: ({ path }) => `the end of deleting ${path}` },
  fs_call: { ...byOf, summary: ({ call, path }) => `the answer to ${call} ${path}` },
  process_exit: { ...byOf, summary: ({ of }) => `the end of subprocess #${of}` },
  process_spawn: { ...byOf, summary: ({ program, args }) => `the end of ${[program, ...args].join(' ')}` },
  terminal_output: { ...byOf, summary: ({ n, of }) => `output ${n} of the terminal #${of}` },
  terminal_session: {
    ...byOf,
    effect: ({ of, closedBy }) => (closedBy === undefined ? (of ?? null) : null),
    summary: ({ program, args }) => `the end of ${[program, ...args].join(' ')} on its terminal`,
  },
}

const rows = new Map<string, Row<Names>>(Object.entries(table) as [Names, Row<Names>][])

/**
 * Undefined for a kind that is never delivered. The table is keyed by the kind's own name, so a row fits the
 * kind that it is found by.
 */
function rowOf(kind: TapeRecord['kind']): Row<Names> | undefined {
  return rows.get(kind.kind)
}

export function isDelivery(record: TapeRecord): record is Delivery {
  const row = rowOf(record.kind)
  return row !== undefined && row.effect(record.kind as DeliveredKind) !== null
}

export function isAnsweredAtOnce(record: TapeRecord): record is AnsweredAtOnce {
  return 'key' in record.kind && record.kind.kind !== 'effect_start' && typeof record.kind.key === 'string'
}

/** Whether it is delivered in the turn of the one before it. */
export function isTogether({ kind }: Delivery): boolean {
  return 'turn' in kind && kind.turn === 'same'
}

/** The effect that a delivery belongs to. */
export function effectOf({ kind }: Delivery): number {
  return rowOf(kind)?.effect(kind) ?? 0
}

/** A short description of a delivery, or an answer. */
export function summaryOf({ kind }: Delivery | AnsweredAtOnce): string {
  return rowOf(kind)?.summary(kind) ?? kind.kind
}

/** A kind that may contain what the program sends while an effect is open. */
export function isSentKind(
  kind: TapeRecord['kind'],
): kind is Kind<'stream_chunk' | 'stream_end' | 'ws_message' | 'http2_frame'> {
  return ['stream_chunk', 'stream_end', 'ws_message', 'http2_frame'].includes(kind.kind)
}

/**
 * What a program may send and then let go of the connection, in one turn. The tape comes to the record when the
 * effect is closed.
 */
export function isSentAtTheEnd(kind: TapeRecord['kind']): boolean {
  if (kind.kind === 'stream_end') return kind.closedBy !== undefined
  return kind.kind === 'ws_message' || (kind.kind === 'stream_chunk' && kind.stream === SENT)
}
