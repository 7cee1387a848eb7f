/**
 * Applies the edits of a what-if to the records of a tape. Gives the records that are delivered in the place
 * of the recorded ones; the tape itself is not changed. Everything that is not edited stays as it is.
 *
 * Reads the tape twice and keeps only the records of the effects that are edited. Refuses an edit that does
 * not fit its record, and names the kinds that it fits.
 *
 * Decision 0330.
 */
import { label } from '../../base/index.ts'
import type { Kind, RecordKind, TapeRecord } from '../../tape/index.ts'
import { type TapePayloads, tapePayloads } from '../../tape/tape-payloads.ts'
import { type Edit, type RecordEdit, wrong } from './edit.ts'
import { editFile, editSpawn } from './edit-call.ts'
import { editMessageRecord } from './edit-message.ts'
import { checkFit, effectOf, type Subject, subjectOf } from './edit-subject.ts'
import { editWords } from './edit-words.ts'
import { createDraft, type Draft, editDraft, replacementsOf } from './effect-draft.ts'
import { recordsOfEffects, targetsOf } from './records-of-effects.ts'

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

/** What is changed in its own record, whatever else its effect delivers. */
const ALONE: ReadonlySet<Subject> = new Set(['file', 'timer', 'record'])

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
    words.push(editWords(target, edit))
    const delayed = apply(record, subject, edit, seq)
    if (edit.delayMs !== undefined) delaysMs.set(delayed, edit.delayMs)
  }

  /** Returns the record whose delivery is the one that the edit is about. */
  function apply(record: TapeRecord, subject: Subject, edit: Edit, seq: number): number {
    const effect = effectOf(record.kind)
    if (effect !== null && !ALONE.has(subject)) {
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
    case 'ws_message':
    case 'http2_frame':
    case 'server_request':
      return editMessageRecord(kind, edit, seq, payloads)
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

/** What comes later does not come with the record before it. */
function inTurnOfItsOwn(record: TapeRecord): TapeRecord {
  const { kind } = record
  if (!('turn' in kind)) return record
  const { turn: _, ...rest } = kind
  return { ...record, kind: rest }
}

function isStart(record: TapeRecord): record is TapeRecord & { readonly kind: Kind<'effect_start'> } {
  return record.kind.kind === 'effect_start'
}
