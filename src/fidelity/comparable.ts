/**
 * When two records are the same. Every field has one comparable value; two records are equal in content
 * exactly when all that count are equal, so that aligning (by key) and comparing (field by field) can never
 * disagree.
 */
import { type Json, textOrNull } from '../base/index.ts'
import type { Chunk, Payload } from '../tape/fields.ts'
import { kindName, type RecordKind } from '../tape/kinds.ts'
import type { TapeRecord } from '../tape/record.ts'
import { jsonText } from './json-text.ts'
import { type FieldRule, kindRules } from './rules.ts'

/**
 * One record as it comes out of a stream. `text` is its line, empty where there is none; `line` its number in
 * the file, 0 without a file.
 */
export type Entry = {
  readonly record: TapeRecord
  readonly text: string
  readonly line: number
}

export type Values = { readonly [name: string]: unknown }

/** A request that is stored as a difference from an earlier one: `base` is the `seq` of that one. */
export type GrownRequest = { readonly base: number; readonly keep: number; readonly append: readonly Json[] }

export function grownRequest(value: unknown): GrownRequest | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { base, keep, append } = value as Values
  return Number.isInteger(base) && Number.isInteger(keep) && Array.isArray(append)
    ? (value as GrownRequest)
    : null
}

/** A primitive that is equal for equal values. */
export function comparable(rule: FieldRule, value: unknown): string | number | boolean | null {
  if (value === undefined || value === null) return null
  switch (rule.shape) {
    case 'plain':
      return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean)
    case 'payload':
      return (value as Payload).contentHash
    case 'chunk':
      return comparableChunk(value as Chunk)
    case 'headers':
      return JSON.stringify(value)
    case 'json':
      return jsonText(value as Json)
    case 'conversation': {
      const grown = grownRequest(value)
      if (grown === null) return jsonText(value as Json)
      // What it grows from is compared as a link, like every other number of a record.
      const { base: _base, ...rest } = grown
      return jsonText(rest)
    }
  }
}

function comparableChunk(chunk: Chunk): string {
  switch (chunk.form) {
    case 'text':
      return `t${chunk.text}`
    case 'base64': {
      const text = textOrNull(chunk.bytes)
      return text === null ? `b${Buffer.from(chunk.bytes).toString('base64')}` : `t${text}`
    }
    case 'cas':
      return `h${chunk.contentHash}`
  }
}

export type Scope = {
  /** False when one of the tapes is foreign: what only we record on upstream's kinds is then left out. */
  readonly ownFields: boolean
}

/** True if this field counts for the content of a record, whatever the mode. */
export function countsAlways(rule: FieldRule, scope: Scope): boolean {
  return rule.counts === 'always' && (scope.ownFields || !rule.ownField)
}

export function countsStrictly(rule: FieldRule, scope: Scope): boolean {
  return rule.counts === 'strict' && (scope.ownFields || !rule.ownField)
}

/** Equal exactly for records of equal content: kind and every field that counts in each mode. */
export function contentKey(kind: RecordKind, scope: Scope): string {
  return kind.kind === 'unknown'
    ? `${kind.name}\n${kind.json}`
    : key(kind, (rule) => countsAlways(rule, scope))
}

/** Equal exactly for records that a strict comparison calls equal, apart from links. */
export function strictKey(record: TapeRecord, scope: Scope): string {
  const head = `${record.phase} ${record.virtualTimeMs} ${record.monotonicMs} ${contentKey(record.kind, scope)}`
  return record.kind.kind === 'unknown'
    ? head
    : `${head}\n${key(record.kind, (rule) => countsStrictly(rule, scope))}`
}

function key(kind: RecordKind, counts: (rule: FieldRule) => boolean): string {
  const name = kindName(kind)
  const values = kind as Values
  const parts: unknown[] = []
  for (const rule of kindRules().get(name)?.fields ?? [])
    if (counts(rule)) parts.push(comparable(rule, values[rule.name]))
  if ('extra' in kind && kind.extra !== undefined) parts.push(kind.extra)
  return `${name}\n${JSON.stringify(parts)}`
}

/**
 * True if the text of both lines is equal from the first `"kind":{` on. A cheap test that most records pass.
 */
export function sameKindText(a: Entry, b: Entry): boolean {
  if (a.text.length === b.text.length && a.text === b.text) return a.text !== ''
  const left = a.text.indexOf(KIND_KEY)
  if (left < 0) return false
  const right = b.text.indexOf(KIND_KEY)
  // Found only where a key stands: inside a JSON string the quotes would be escaped.
  return (
    right >= 0 && a.text.length - left === b.text.length - right && a.text.slice(left) === b.text.slice(right)
  )
}

const KIND_KEY = '"kind":{'

export function sameTimes(a: TapeRecord, b: TapeRecord): boolean {
  return a.phase === b.phase && a.virtualTimeMs === b.virtualTimeMs && a.monotonicMs === b.monotonicMs
}
