/** Edits of a recorded subprocess that the program followed while it ran, and of an MCP server among them. */
import { type Json, jsonMember, jsonObjectText, textOrNull, utf8 } from '../../base/index.ts'
import type { Kind, TapeRecord } from '../../tape/index.ts'
import { messagesOf } from '../mcp/json-rpc.ts'
import { type Edit, wrong } from './edit.ts'
import { bytesOf, cutAfter, type Piece, withBytes } from './stream-draft.ts'

export type Child = {
  readonly exit: (TapeRecord & { readonly kind: Kind<'process_exit'> }) | null
  readonly pieces: readonly Piece[]
}

export function editChild({ exit, pieces }: Child, edit: Edit, seq: number): Child {
  if (edit.exit !== undefined && exit === null)
    throw wrong(`record ${seq}: the subprocess did not end while the run was recorded`)
  let edited = pieces
  if (edit.stdout !== undefined) edited = withOutput(edited, 'stdout', edit.stdout, seq)
  if (edit.stderr !== undefined) edited = withOutput(edited, 'stderr', edit.stderr, seq)
  if (edit.cutAfterBytes !== undefined) edited = cutAfter(edited, 'stdout', edit.cutAfterBytes, null)
  const ended =
    exit === null || edit.exit === undefined
      ? exit
      : { ...exit, kind: { ...exit.kind, code: edit.exit, signal: null } }
  return { exit: ended, pieces: edited }
}

function withOutput(pieces: readonly Piece[], stream: string, text: string, seq: number): readonly Piece[] {
  if (!pieces.some((piece) => piece.stream === stream))
    throw wrong(`record ${seq}: the program did not read ${stream} of this subprocess`)
  return withBytes(pieces, stream, utf8(text))
}

/** The answer of MCP with this error in it. */
export function failedAnswer(text: string, error: Json): string {
  return jsonObjectText([
    ['jsonrpc', '"2.0"'],
    ['id', jsonMember(text, 'id') ?? 'null'],
    ['error', JSON.stringify(error)],
  ])
}

/** Rewrites the answer with this id in a text with one message or a batch. Null if the text has none. */
export function rewriteMessage(
  text: string,
  id: string,
  rewrite: (message: string) => string,
): string | null {
  for (const message of messagesOf(text) ?? []) {
    if (message.type !== 'response' || JSON.stringify(message.id) !== id) continue
    return text.replace(message.text, () => rewrite(message.text))
  }
  return null
}

/** The first answer with this id, in the lines that an MCP server wrote to its stdout. */
export function rewriteLine(
  pieces: readonly Piece[],
  id: string,
  rewrite: (message: string) => string,
): { readonly pieces: readonly Piece[]; readonly seq: number } | null {
  const bytes = Buffer.from(bytesOf(pieces, 'stdout'))
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline < 0 ? bytes.length : newline
    const text = textOrNull(bytes.subarray(start, end))
    const changed = text === null ? null : rewriteMessage(text, id, rewrite)
    if (changed !== null) return withSpan(pieces, start, end, utf8(changed))
    start = end + 1
  }
  return null
}

/** New bytes for a span of stdout, in the piece with the last byte of it. */
function withSpan(
  pieces: readonly Piece[],
  start: number,
  end: number,
  bytes: Uint8Array,
): { readonly pieces: readonly Piece[]; readonly seq: number } {
  let at = 0
  let seq = 0
  const changed = pieces.flatMap((piece): Piece[] => {
    const { what } = piece
    if (piece.stream !== 'stdout' || what.type !== 'chunk') return [piece]
    const [from, to] = [at, at + what.bytes.byteLength]
    at = to
    if (to <= start || from >= end) return [piece]
    const before = what.bytes.subarray(0, Math.max(0, start - from))
    const after = what.bytes.subarray(Math.min(what.bytes.byteLength, end - from))
    const isLast = to >= end
    if (isLast) seq = piece.record.seq
    const whole = Buffer.concat([before, ...(isLast ? [bytes] : []), after])
    return whole.length === 0 ? [] : [{ ...piece, what: { type: 'chunk', bytes: whole } }]
  })
  return { pieces: changed, seq }
}
