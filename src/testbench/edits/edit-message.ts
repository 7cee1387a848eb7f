/** Edits of one record on a connection: a message of a WebSocket, a frame of HTTP/2, a request to a server. */
import { textOrNull, utf8 } from '../../base/index.ts'
import type { Kind, RecordKind } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { type Edit, wrong } from './edit.ts'
import { withValues } from './edit-exchange.ts'
import { withHeaderChanges } from './header-changes.ts'

export type MessageKind = Kind<'ws_message' | 'http2_frame' | 'server_request'>

/** Whether the program receives something by this record that an edit can change. */
export function isReceivedMessage(kind: MessageKind): boolean {
  switch (kind.kind) {
    case 'ws_message':
      return kind.direction === 'in' && (kind.message === 'text' || kind.message === 'binary')
    case 'http2_frame':
      return kind.direction === 'in' && (kind.frame === 'headers' || kind.frame === 'data')
    case 'server_request':
      return true
  }
}

export function editMessageRecord(
  kind: MessageKind,
  edit: Edit,
  seq: number,
  payloads: TapePayloads,
): RecordKind {
  switch (kind.kind) {
    case 'ws_message': {
      const text =
        edit.json === undefined ? edit.text : withValues(textOf(kind, seq, payloads), edit.json, seq)
      return text === undefined ? kind : { ...kind, data: { form: 'base64', bytes: utf8(text) } }
    }
    case 'http2_frame':
      return kind.frame === 'headers' ? editHeaders(kind, edit, seq) : editData(kind, edit, seq)
    case 'server_request':
      return editRequest(kind, edit, seq)
  }
}

function textOf({ data }: Kind<'ws_message'>, seq: number, payloads: TapePayloads): string {
  const text = textOrNull(payloads(data))
  if (text === null) throw wrong(`record ${seq}: the message is not text`)
  return text
}

function editHeaders(kind: Kind<'http2_frame'>, edit: Edit, seq: number): RecordKind {
  if (edit.text !== undefined) throw wrong(`record ${seq}: text fits a data frame; this frame has headers`)
  const status = edit.status === undefined ? {} : { ':status': String(edit.status) }
  return { ...kind, headers: withHeaderChanges(kind.headers ?? [], { ...edit.headers, ...status }) }
}

function editData(kind: Kind<'http2_frame'>, edit: Edit, seq: number): RecordKind {
  if (edit.status !== undefined || edit.headers !== undefined)
    throw wrong(`record ${seq}: status and headers fit a headers frame; this frame has data`)
  if (edit.text === undefined) return kind
  if (kind.held !== undefined) throw wrong(`record ${seq}: a part of this data is in a later record`)
  return { ...kind, data: { form: 'base64', bytes: utf8(edit.text) } }
}

function editRequest(kind: Kind<'server_request'>, edit: Edit, seq: number): RecordKind {
  if (edit.text !== undefined && kind.body === undefined)
    throw wrong(`record ${seq}: the body of this request came in pieces; name its stream_chunk`)
  const bytes = edit.text === undefined ? null : utf8(edit.text)
  const length = kind.headers.some(([name]) => name.toLowerCase() === 'content-length')
  const headers = {
    ...(bytes !== null && length ? { 'content-length': String(bytes.byteLength) } : {}),
    ...edit.headers,
  }
  return {
    ...kind,
    headers: withHeaderChanges(kind.headers, headers),
    ...(bytes === null ? {} : { body: { form: 'base64', bytes } }),
  }
}
