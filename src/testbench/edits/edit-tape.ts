/**
 * Applies the edits of a what-if to the records of a tape. Gives the records that are delivered in the place
 * of the recorded ones; the tape itself is not changed. Everything that is not edited stays as it is.
 *
 * Reads the tape twice and keeps only the records of the effects that are edited. Refuses an edit that does
 * not fit its record, and names the kinds that it fits.
 *
 * Decision 0330.
 */
import { jsonMember, label, textOrNull, utf8 } from '../../base/index.ts'
import { isForeignRecord } from '../../tape/foreign.ts'
import { type Kind, kindName, type RecordKind, readTapeEvents, type TapeRecord } from '../../tape/index.ts'
import { type TapePayloads, tapePayloads } from '../../tape/tape-payloads.ts'
import { type Edit, type EditName, fits, type RecordEdit, wrong } from './edit.ts'
import { editFile, editSpawn } from './edit-call.ts'
import { type Child, editChild, failedAnswer, rewriteLine, rewriteMessage } from './edit-child.ts'
import { cutErrorOf, type Exchange, editExchange, failBody, withValues } from './edit-exchange.ts'
import { cutAfter, type Piece, piecesOf, replacements } from './stream-draft.ts'

export type TapeEdits = {
  /** Records in the place of the recorded one; an empty list removes it. */
  readonly replaced: ReadonlyMap<number, readonly TapeRecord[]>
  /** How much later a record is delivered. */
  readonly delaysMs: ReadonlyMap<number, number>
  /** Records that the edits change, or that follow from them (a summary of an edited answer). */
  readonly edited: ReadonlySet<number>
  /** Each edit in words. */
  readonly words: readonly string[]
}

const NO_EDITS: TapeEdits = {
  replaced: new Map(),
  delaysMs: new Map(),
  edited: new Set(),
  words: [],
}

export function editTape(path: string, edits: readonly RecordEdit[]): TapeEdits {
  if (edits.length === 0) return NO_EDITS
  const payloads = tapePayloads(path)
  const targets = targetsOf(path, new Set(edits.map(({ seq }) => seq)))
  const effects = recordsOfEffects(
    path,
    new Set([...targets.values()].flatMap(({ kind }) => effectOf(kind) ?? [])),
  )
  const drafts = new Map<number, Draft>()
  const replaced = new Map<number, readonly TapeRecord[]>()
  const delaysMs = new Map<number, number>()
  const edited = new Set<number>()
  const words: string[] = []

  const draftOf = (effect: number): Draft => {
    const known = drafts.get(effect) ?? createDraft(effects.get(effect) ?? [], payloads)
    drafts.set(effect, known)
    return known
  }

  for (const { seq, edit } of edits) {
    const target = targets.get(seq)
    if (target === undefined) throw wrong(`the tape has no record ${seq}`)
    const { record, subject } = subjectOf(target, effects)
    checkFit(edit, subject, record)
    words.push(`record ${seq} (${nameOf(target)}): ${describeEdit(edit)}`)
    const delayed = apply(record, subject, edit, seq)
    if (edit.delayMs !== undefined) delaysMs.set(delayed, edit.delayMs)
  }

  /** Returns the record whose delivery is the one that the edit is about. */
  function apply(record: TapeRecord, subject: string, edit: Edit, seq: number): number {
    const effect = effectOf(record.kind)
    if (effect !== null && subject !== 'file' && subject !== 'timer') {
      const draft = draftOf(effect)
      return editDraft(draft, record, subject, edit, seq, payloads)
    }
    const current = replaced.get(record.seq)?.[0] ?? record
    replaced.set(record.seq, [{ ...current, kind: editCall(current, edit, seq, effects, payloads) }])
    edited.add(record.seq)
    return record.seq
  }

  for (const [effect, draft] of drafts) {
    for (const [seq, records] of replacementsOf(effect, draft)) replaced.set(seq, records)
    for (const { seq, kind } of draft.records) if (kind.kind !== 'effect_start') edited.add(seq)
  }
  for (const seq of delaysMs.keys()) {
    const [record, ...more] =
      replaced.get(seq) ?? [...effects.values()].flat().filter((each) => each.seq === seq)
    if (record !== undefined) replaced.set(seq, [inTurnOfItsOwn(record), ...more])
    edited.add(seq)
  }
  return { replaced, delaysMs, edited, words }
}

/** What comes later does not come with the record before it. */
function inTurnOfItsOwn(record: TapeRecord): TapeRecord {
  const { kind } = record
  if (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') return record
  const { turn: _, ...rest } = kind
  return { ...record, kind: rest }
}

/** What an edit is about. */
type Draft = {
  readonly records: readonly TapeRecord[]
  readonly before: readonly Piece[]
  exchange: Exchange | null
  child: Child | null
  /** Of any other effect with a stream. */
  pieces: readonly Piece[]
}

function createDraft(records: readonly TapeRecord[], payloads: TapePayloads): Draft {
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

function editDraft(
  draft: Draft,
  record: TapeRecord,
  subject: string,
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
  const stream = 'stream' in kind ? (kind.stream ?? '') : ''
  const pieces = piecesNow(draft)
  const isThis = ({ record, what }: Piece): boolean => record.seq === seq && what.type === 'chunk'
  const before = pieces.findIndex(isThis)
  if (edit.error !== undefined) {
    if (draft.exchange === null) throw wrong(`record ${seq}: error fits a stream of the network`)
    draft.exchange = failBody(draft.exchange, seq, edit.error)
  } else if (before < 0) {
    if (edit.text !== undefined || edit.cutAfterBytes !== undefined)
      throw wrong(`record ${seq}: an earlier edit has removed this piece`)
  } else if (edit.text !== undefined) {
    const bytes = utf8(edit.text)
    setPieces(
      draft,
      pieces.map((piece) => (isThis(piece) ? { ...piece, what: { type: 'chunk', bytes } } : piece)),
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

function editCall(
  { kind }: TapeRecord,
  edit: Edit,
  seq: number,
  effects: ReadonlyMap<number, readonly TapeRecord[]>,
  payloads: TapePayloads,
): RecordKind {
  switch (kind.kind) {
    case 'file_read':
    case 'file_write':
    case 'file_delete':
    case 'fs_call':
      return editFile(kind, edit, seq, callOf(kind, effects), payloads)
    case 'process_spawn':
      return editSpawn(kind, edit, seq, payloads)
    case 'env_read':
      return edit.text === undefined ? kind : { ...kind, value: edit.text }
    default:
      return kind
  }
}

/** The name of the function: first word of the key. */
function callOf(
  kind: Kind<'file_read' | 'file_write' | 'file_delete' | 'fs_call'>,
  effects: ReadonlyMap<number, readonly TapeRecord[]>,
): Kind<'fs_call'>['call'] {
  if (kind.kind === 'fs_call') return kind.call
  const start = kind.of === undefined ? undefined : effects.get(kind.of)?.find(isStart)
  const [name = ''] = (kind.key ?? start?.kind.key ?? '').split(' ')
  return label(/^[A-Za-z]{1,40}$/.test(name) ? name : 'open')
}

function replacementsOf(effect: number, draft: Draft): ReadonlyMap<number, readonly TapeRecord[]> {
  const { exchange, child, records, before } = draft
  const changed = replacements(effect, records, before, piecesNow(draft))
  if (exchange !== null) {
    const { head } = exchange
    changed.set(head.seq, [head, ...(changed.get(head.seq) ?? [])])
  }
  if (child?.exit != null) changed.set(child.exit.seq, [child.exit])
  return changed
}

type Subject = { readonly record: TapeRecord; readonly subject: string }

/** An `effect_start` stands for what its effect delivers first. */
function subjectOf(record: TapeRecord, effects: ReadonlyMap<number, readonly TapeRecord[]>): Subject {
  const { kind } = record
  const effect = effectOf(kind)
  const own = effect === null ? [] : (effects.get(effect) ?? [])
  switch (kind.kind) {
    case 'effect_start': {
      if (kind.boundary === 'process') return { record, subject: 'subprocess' }
      const first = own.find((other) => other.seq > record.seq && other.kind.kind !== 'llm_call')
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

function checkFit(edit: Edit, subject: string, { seq, kind }: TapeRecord): void {
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
function effectOf(kind: RecordKind): number | null {
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

function targetsOf(path: string, wanted: ReadonlySet<number>): ReadonlyMap<number, TapeRecord> {
  const targets = new Map<number, TapeRecord>()
  let isForeign = true
  for (const event of readTapeEvents(path)) {
    if (event.type === 'header') isForeign = event.header.producer === undefined
    if (event.type !== 'record') continue
    isForeign &&= isForeignRecord(event.record)
    if (wanted.has(event.record.seq)) targets.set(event.record.seq, event.record)
  }
  if (isForeign) throw wrong('a tape of another system cannot be edited')
  return targets
}

function recordsOfEffects(
  path: string,
  wanted: ReadonlySet<number>,
): ReadonlyMap<number, readonly TapeRecord[]> {
  const found = new Map<number, TapeRecord[]>([...wanted].map((effect) => [effect, []]))
  if (wanted.size === 0) return found
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const effect = effectOf(event.record.kind)
    if (effect !== null) found.get(effect)?.push(event.record)
  }
  return found
}

function nameOf({ kind }: TapeRecord): string {
  switch (kind.kind) {
    case 'http_exchange':
      return `${kind.method} ${kind.url}`
    case 'effect_start':
      return kind.key
    case 'llm_call':
      return `llm_call ${kind.model ?? ''}`.trim()
    case 'file_read':
    case 'file_write':
    case 'file_delete':
      return `${kind.kind} ${kind.path}`
    case 'fs_call':
      return `${kind.call} ${kind.path}`
    case 'process_spawn':
      return [kind.program, ...kind.args].join(' ')
    case 'mcp_json_rpc':
      return `mcp ${kind.method}`
    case 'env_read':
      return `env ${kind.name}`
    default:
      return kindName(kind)
  }
}

const MOST_SHOWN = 60

function describeEdit(edit: Edit): string {
  return Object.entries(edit)
    .map(([name, value]) => {
      const text = JSON.stringify(value)
      return `${name} ${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}`
    })
    .join(', ')
}

function isHead(record: TapeRecord): record is TapeRecord & { readonly kind: Kind<'http_exchange'> } {
  return record.kind.kind === 'http_exchange'
}

function isExit(record: TapeRecord): record is TapeRecord & { readonly kind: Kind<'process_exit'> } {
  return record.kind.kind === 'process_exit'
}

function isStart(record: TapeRecord): record is TapeRecord & { readonly kind: Kind<'effect_start'> } {
  return record.kind.kind === 'effect_start'
}
