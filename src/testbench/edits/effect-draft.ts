/**
 * A draft of one recorded effect: its records, and what edits have made of them so far. Several edits of one
 * effect change the same draft, in the order in which they are given.
 */
import { jsonMember, textOrNull, utf8 } from '../../base/index.ts'
import type { Kind, TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { type Edit, wrong } from './edit.ts'
import { type Child, editChild, failedAnswer, rewriteLine, rewriteMessage } from './edit-child.ts'
import { cutErrorOf, type Exchange, editExchange, failBody, withValues } from './edit-exchange.ts'
import { isHead, type Subject } from './edit-subject.ts'
import { connectionError } from './error-facts.ts'
import { cutAfter, failAt, type Piece, piecesOf, replacements } from './stream-draft.ts'

export type Draft = {
  readonly records: readonly TapeRecord[]
  readonly before: readonly Piece[]
  exchange: Exchange | null
  child: Child | null
  /** Of any other effect with a stream. */
  pieces: readonly Piece[]
}

export function createDraft(records: readonly TapeRecord[], payloads: TapePayloads): Draft {
  const before = piecesOf(records, payloads)
  const start = records.find(({ kind }) => kind.kind === 'effect_start')?.kind
  const head = records.find(isHead)
  const isChild = start?.kind === 'effect_start' && start.boundary === 'process'
  return {
    records,
    before,
    exchange: head === undefined ? null : { head, pieces: before },
    child: isChild ? { exit: records.find(isExit) ?? null, pieces: before } : null,
    pieces: before,
  }
}

function piecesNow({ exchange, child, pieces }: Draft): readonly Piece[] {
  return exchange?.pieces ?? child?.pieces ?? pieces
}

function setPieces(draft: Draft, pieces: readonly Piece[]): void {
  if (draft.exchange !== null) draft.exchange = { ...draft.exchange, pieces }
  else if (draft.child !== null) draft.child = { ...draft.child, pieces }
  else draft.pieces = pieces
}

/** Returns the record whose delivery is the one that the edit is about. */
export function editDraft(
  draft: Draft,
  record: TapeRecord,
  subject: Subject,
  edit: Edit,
  seq: number,
  payloads: TapePayloads,
): number {
  const { kind } = record
  if (subject === 'message' && kind.kind === 'mcp_json_rpc')
    return editMessage(draft, kind, edit, seq, payloads)
  if (subject === 'response' && draft.exchange !== null) {
    draft.exchange = editExchange(draft.exchange, edit, seq)
    return draft.exchange.head.seq
  }
  if (subject === 'subprocess' && draft.child !== null) {
    draft.child = editChild(draft.child, edit, seq)
    return draft.child.exit?.seq ?? record.seq
  }
  editPiece(draft, record, edit)
  return record.seq
}

/** One record inside a stream. */
function editPiece(draft: Draft, { seq, kind }: TapeRecord, edit: Edit): void {
  const stream = 'stream' in kind && typeof kind.stream === 'string' ? kind.stream : ''
  const pieces = piecesNow(draft)
  const isThis = ({ record, what }: Piece): boolean => record.seq === seq && what.type === 'chunk'
  const before = pieces.findIndex(isThis)
  if (edit.error !== undefined) {
    if (draft.exchange !== null) draft.exchange = failBody(draft.exchange, seq, edit.error)
    else setPieces(draft, failConnection(draft, seq, edit.error))
  } else if (before < 0) {
    if (edit.text !== undefined || edit.cutAfterBytes !== undefined)
      throw wrong(`record ${seq}: an earlier edit has removed this piece`)
  } else if (edit.text !== undefined) {
    const bytes = utf8(edit.text)
    setPieces(
      draft,
      // Chunks that share the record are one text.
      pieces.flatMap((piece, at): Piece[] => {
        if (!isThis(piece)) return [piece]
        return at === before ? [{ ...piece, what: { type: 'chunk', bytes } }] : []
      }),
    )
  }
  if (edit.cutAfterBytes === undefined) return
  const earlier = piecesNow(draft)
    .slice(0, before)
    .reduce(
      (sum, piece) =>
        sum + (piece.stream === stream && piece.what.type === 'chunk' ? piece.what.bytes.byteLength : 0),
      0,
    )
  const end = draft.exchange === null ? null : cutErrorOf(draft.exchange)
  setPieces(draft, cutAfter(piecesNow(draft), stream, earlier + edit.cutAfterBytes, end))
}

/** A connection, or a question to the name service, that fails at this record. */
function failConnection({ records, pieces }: Draft, seq: number, code: string): readonly Piece[] {
  const start = records.find(({ kind }) => kind.kind === 'effect_start')?.kind
  const key = start?.kind === 'effect_start' && start.boundary === 'network' ? start.key : null
  if (key === null) throw wrong(`record ${seq}: error fits a stream of the network; use exit or errno`)
  if (records.some((other) => other.seq > seq && isMessage(other) && !isSent(other)))
    throw wrong(`record ${seq}: this connection delivers more than bytes; error fits its last record only`)
  const host = /^dns\.\w+ \["([^"]+)"/.exec(key)?.[1]
  const url = host === undefined ? (/\w+:\/\/\S+/.exec(key)?.[0] ?? '') : `dns://${host}`
  return failAt(pieces, seq, '', connectionError(code, url))
}

function isMessage({ kind }: TapeRecord): boolean {
  return kind.kind === 'ws_message' || kind.kind === 'http2_frame' || kind.kind === 'server_request'
}

function isSent({ kind }: TapeRecord): boolean {
  return 'direction' in kind && kind.direction === 'out'
}

/** The answer to a call of MCP, over HTTP or over the pipes of a subprocess. */
function editMessage(
  draft: Draft,
  kind: Kind<'mcp_json_rpc'>,
  edit: Edit,
  seq: number,
  payloads: TapePayloads,
): number {
  const answer = textOrNull(payloads(kind.responsePayload)) ?? ''
  const id =
    kind.requestId === undefined ? (jsonMember(answer, 'id') ?? 'null') : JSON.stringify(kind.requestId)
  const rewrite = (text: string): string => {
    if (edit.mcpError !== undefined) return failedAnswer(text, edit.mcpError)
    return edit.json === undefined ? text : withValues(text, edit.json, seq)
  }
  if (draft.exchange !== null) {
    let isFound = false
    draft.exchange = editExchange(draft.exchange, {}, seq, (text) => {
      const changed = rewriteMessage(text, id, rewrite)
      isFound ||= changed !== null
      return changed ?? text
    })
    if (!isFound) throw wrong(`record ${seq}: the answer is not in the response of its request`)
    return draft.exchange.head.seq
  }
  const line = rewriteLine(piecesNow(draft), id, rewrite)
  if (line === null) throw wrong(`record ${seq}: the answer is not in the output of its server`)
  setPieces(draft, line.pieces)
  return line.seq
}

/** The records of the effect that differ from the recorded ones. */
export function replacementsOf(effect: number, draft: Draft): ReadonlyMap<number, readonly TapeRecord[]> {
  const { exchange, child, records, before } = draft
  const changed = replacements(effect, records, before, piecesNow(draft))
  if (exchange !== null) {
    const { head } = exchange
    changed.set(head.seq, [head, ...(changed.get(head.seq) ?? [])])
  }
  if (child?.exit != null) changed.set(child.exit.seq, [child.exit])
  return changed
}

function isExit(record: TapeRecord): record is TapeRecord & { readonly kind: Kind<'process_exit'> } {
  return record.kind.kind === 'process_exit'
}
