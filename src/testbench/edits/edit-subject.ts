/**
 * What an edit of a record is about: a response, a subprocess, a piece of a stream, a call. Decides whether an
 * edit fits, and to which effect a record belongs.
 */
import { type Kind, kindName, type RecordKind, type TapeRecord } from '../../tape/index.ts'
import { type Edit, type EditName, fits, wrong } from './edit.ts'
import { isReceivedMessage } from './edit-message.ts'

export type Subject =
  | 'response'
  | 'message'
  | 'piece'
  | 'subprocess'
  | 'call'
  | 'file'
  | 'timer'
  | 'record'
  | 'nothing'

type RecordSubject = { readonly record: TapeRecord; readonly subject: Subject }

/** An edit of an `effect_start` applies to what its effect delivers first. */
export function subjectOf(
  record: TapeRecord,
  effects: ReadonlyMap<number, readonly TapeRecord[]>,
): RecordSubject {
  const { kind } = record
  const effect = effectOf(kind)
  const own = effect === null ? [] : (effects.get(effect) ?? [])
  switch (kind.kind) {
    case 'effect_start': {
      if (kind.boundary === 'process') return { record, subject: 'subprocess' }
      const first = own.find((other) => other.seq > record.seq && isDelivered(other.kind))
      return first === undefined ? { record, subject: 'nothing' } : subjectOf(first, effects)
    }
    case 'http_exchange':
    case 'llm_call':
      return { record, subject: own.some(isHead) ? 'response' : 'nothing' }
    case 'mcp_json_rpc':
      return { record, subject: effect === null ? 'nothing' : 'message' }
    case 'stream_chunk':
      return { record, subject: kind.direction === 'in' ? 'piece' : 'nothing' }
    case 'stream_end':
      return { record, subject: kind.closedBy === undefined ? 'piece' : 'nothing' }
    case 'ws_message':
    case 'http2_frame':
    case 'server_request':
      return { record, subject: isReceivedMessage(kind) ? 'record' : 'nothing' }
    case 'process_exit':
      return { record, subject: 'subprocess' }
    case 'process_spawn':
      return { record, subject: effect === null ? 'call' : 'subprocess' }
    case 'file_read':
    case 'file_write':
    case 'file_delete':
    case 'fs_call':
      return { record, subject: kind.of === undefined && kind.key === undefined ? 'nothing' : 'file' }
    case 'timer_fire':
    case 'clock_sleep':
      return { record, subject: 'timer' }
    case 'env_read':
      return { record, subject: 'call' }
    default:
      return { record, subject: 'nothing' }
  }
}

/** The program receives it, and it is not derived from something else. */
function isDelivered(kind: RecordKind): boolean {
  if ('direction' in kind && kind.direction === 'out') return false
  return kind.kind !== 'llm_call' && !(kind.kind === 'http2_frame' && !isReceivedMessage(kind))
}

/** Refuses an edit with the kinds of records that it fits. */
export function checkFit(edit: Edit, subject: Subject, { seq, kind }: TapeRecord): void {
  for (const name of Object.keys(edit) as EditName[]) {
    const wanted = fits[name]
    const isSpawn = kind.kind === 'effect_start' && subject === 'subprocess'
    if (subject !== 'nothing' && wanted.includes(isSpawn ? 'process_spawn' : kindName(kind))) continue
    throw wrong(
      `${name} does not fit record ${seq}, a ${kindName(kind)}${subject === 'nothing' ? ' that delivers nothing' : ''}; it fits ${wanted.join(', ')}`,
    )
  }
}

/** The effect that a record belongs to, if its outcomes can be edited. */
export function effectOf(kind: RecordKind): number | null {
  switch (kind.kind) {
    case 'effect_start':
    case 'http_exchange':
    case 'timer_fire':
      return kind.id
    case 'llm_call':
    case 'mcp_json_rpc':
      return kind.wire ?? null
    case 'process_spawn':
      return effectOfSpawn(kind)
    case 'stream_chunk':
    case 'stream_end':
    case 'ws_message':
    case 'http2_frame':
    case 'server_request':
    case 'process_exit':
    case 'clock_sleep':
    case 'file_read':
    case 'file_write':
    case 'file_delete':
    case 'fs_call':
      return kind.of ?? null
    default:
      return null
  }
}

function effectOfSpawn({ key, io }: Kind<'process_spawn'>): number | null {
  if (key !== undefined || typeof io !== 'object' || io === null || Array.isArray(io)) return null
  const { effect } = io as { readonly effect?: unknown }
  return typeof effect === 'number' ? effect : null
}

export function isHead(record: TapeRecord): record is TapeRecord & { readonly kind: Kind<'http_exchange'> } {
  return record.kind.kind === 'http_exchange'
}
