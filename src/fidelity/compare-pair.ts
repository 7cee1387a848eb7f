import type { Payload } from '../tape/fields.ts'
import { type ExtraFields, kindName, type RecordKind } from '../tape/kinds.ts'
import type { TapeRecord } from '../tape/record.ts'
import {
  comparable,
  countsAlways,
  countsStrictly,
  grownRequest,
  type Scope,
  type Values,
} from './comparable.ts'
import type { DivergenceCode, DivergenceFacts } from './divergence.ts'
import type { EffectNumbers } from './effect-numbers.ts'
import type { Strictness } from './modes.ts'
import type { PayloadDifference } from './payload-difference.ts'
import type { RecordNumbers } from './record-numbers.ts'
import { type FieldRule, kindRules } from './rules.ts'
import { asData, bounded, cut, spell } from './spelling.ts'

export type PairContext = {
  readonly strictness: Strictness
  readonly scope: Scope
  /** Which effect, and which record, of the recorded run is which of the replayed one. */
  readonly effects: EffectNumbers
  readonly seqs: RecordNumbers
  /** Looks into the payloads of a field that differs; null when enough has been looked into. */
  readonly detail:
    | ((rule: FieldRule, recorded: RecordKind, replayed: RecordKind) => PayloadDifference | null)
    | null
}

export function comparePair(
  recorded: TapeRecord,
  replayed: TapeRecord,
  context: PairContext,
): DivergenceFacts[] {
  const { seq } = recorded
  const [name, otherName] = [kindName(recorded.kind), kindName(replayed.kind)]
  if (name !== otherName)
    return [
      plainFacts(
        seq,
        'kind_mismatch',
        'kind',
        '$.kind.kind',
        'record kind',
        cut(name, 200),
        cut(otherName, 200),
      ),
    ]
  const found: DivergenceFacts[] = []
  if (context.strictness === 'strict') found.push(...compareTimes(recorded, replayed))
  if (recorded.kind.kind === 'unknown' || replayed.kind.kind === 'unknown')
    found.push(...compareUnknown(seq, recorded.kind, replayed.kind))
  else found.push(...compareFields(seq, recorded.kind, replayed.kind, context))
  return found
}

function* compareTimes(recorded: TapeRecord, replayed: TapeRecord): Generator<DivergenceFacts, void, void> {
  const { seq } = recorded
  if (recorded.phase !== replayed.phase)
    yield plainFacts(
      seq,
      'phase_mismatch',
      'phase',
      '$.phase',
      'record phase',
      recorded.phase,
      replayed.phase,
    )
  const { virtualTimeMs, monotonicMs } = recorded
  if (virtualTimeMs !== replayed.virtualTimeMs)
    yield plainFacts(
      seq,
      'virtual_time_drift',
      'time',
      '$.virtual_time_ms',
      'virtual_time_ms',
      virtualTimeMs,
      replayed.virtualTimeMs,
    )
  if (monotonicMs !== replayed.monotonicMs)
    yield plainFacts(
      seq,
      'monotonic_drift',
      'time',
      '$.monotonic_ms',
      'monotonic_ms',
      monotonicMs,
      replayed.monotonicMs,
    )
}

/** Two records of a kind from a newer writer are the same if their bytes are. */
function* compareUnknown(
  seq: number,
  recorded: RecordKind,
  replayed: RecordKind,
): Generator<DivergenceFacts, void, void> {
  if (recorded.kind !== 'unknown' || replayed.kind !== 'unknown' || recorded.json === replayed.json) return
  yield plainFacts(
    seq,
    'unknown_kind',
    'field',
    '$.kind',
    `record of unknown kind ${cut(recorded.name, 200)}`,
    cut(recorded.json),
    cut(replayed.json),
  )
}

function* compareFields(
  seq: number,
  recorded: RecordKind,
  replayed: RecordKind,
  context: PairContext,
): Generator<DivergenceFacts, void, void> {
  const rules = kindRules().get(recorded.kind)
  if (rules === undefined) return
  const [left, right] = [recorded as Values, replayed as Values]
  const different = new Set<string>()
  for (const rule of rules.fields) {
    if (!counts(rule, context)) continue
    const [expected, actual] = [left[rule.name], right[rule.name]]
    if (comparable(rule, expected) === comparable(rule, actual)) {
      if (rule.shape === 'payload' && otherTextUnderOneHash(expected, actual))
        yield textFacts(seq, rule, expected as Payload, actual as Payload)
      if (rule.shape === 'conversation') yield* compareBase(seq, rule, expected, actual, context.seqs)
      continue
    }
    different.add(rule.name)
    if (rule.shadowedBy !== null && different.has(rule.shadowedBy)) continue
    yield fieldFacts(seq, rule, recorded, replayed, context)
  }
  for (const rule of rules.links) {
    const [expected, actual] = [left[rule.name] as number, right[rule.name] as number]
    if (!context.effects.pair(expected, actual))
      yield linkFacts(seq, rule, `$.kind.${rule.wire}`, expected, actual)
  }
  yield* compareExtra(seq, recorded, replayed)
}

function counts(rule: FieldRule, context: PairContext): boolean {
  return (
    countsAlways(rule, context.scope) ||
    (context.strictness === 'strict' && countsStrictly(rule, context.scope))
  )
}

function otherTextUnderOneHash(expected: unknown, actual: unknown): boolean {
  const [left, right] = [expected as Payload | undefined, actual as Payload | undefined]
  return left?.form === 'inline' && right?.form === 'inline' && left.text !== right.text
}

function* compareBase(
  seq: number,
  rule: FieldRule,
  expected: unknown,
  actual: unknown,
  seqs: RecordNumbers,
): Generator<DivergenceFacts, void, void> {
  const [left, right] = [grownRequest(expected), grownRequest(actual)]
  if (left === null || right === null) return
  if (!seqs.agree(left.base, right.base))
    yield linkFacts(seq, rule, `$.kind.${rule.wire}.base`, left.base, right.base)
}

/** Fields that a newer writer added to a known kind are compared as text. */
function* compareExtra(
  seq: number,
  recorded: RecordKind,
  replayed: RecordKind,
): Generator<DivergenceFacts, void, void> {
  const [left, right] = [extraOf(recorded), extraOf(replayed)]
  for (const wire of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [expected, actual] = [detached(left[wire]), detached(right[wire])]
    if (left[wire] === right[wire]) continue
    const name = cut(wire, 100)
    yield plainFacts(
      seq,
      'extra_field',
      'field',
      `$.kind[${JSON.stringify(name)}]`,
      `field ${name}`,
      expected,
      actual,
    )
  }
}

/**
 * A text of its own: part of a line would keep the whole chunk of the file in memory for as long as the
 * finding lives.
 */
function detached(text: string | undefined): string | null {
  return text === undefined ? null : Buffer.from(cut(text)).toString()
}

function extraOf(kind: RecordKind): ExtraFields {
  return ('extra' in kind ? kind.extra : undefined) ?? {}
}

function fieldFacts(
  seq: number,
  rule: FieldRule,
  recorded: RecordKind,
  replayed: RecordKind,
  context: PairContext,
): DivergenceFacts {
  const [expected, actual] = [(recorded as Values)[rule.name], (replayed as Values)[rule.name]]
  return {
    seq,
    category: rule.category,
    code: rule.shape === 'payload' || rule.shape === 'chunk' ? 'payload' : 'field',
    path: `$.kind.${rule.wire}`,
    expected: asData(rule, expected),
    actual: asData(rule, actual),
    payload: context.detail?.(rule, recorded, replayed) ?? null,
    words: {
      form: 'diverged',
      thing: rule.thing,
      recorded: spell(rule, expected),
      replay: spell(rule, actual),
    },
  }
}

function textFacts(seq: number, rule: FieldRule, expected: Payload, actual: Payload): DivergenceFacts {
  const texts = [expected, actual].map((payload) => (payload.form === 'inline' ? cut(payload.text) : '')) as [
    string,
    string,
  ]
  return {
    ...plainFacts(
      seq,
      'payload_text',
      'payload-text',
      `$.kind.${rule.wire}.text`,
      `${rule.wire} text under one hash`,
      ...texts,
    ),
  }
}

function linkFacts(
  seq: number,
  rule: FieldRule,
  path: string,
  expected: number,
  actual: number,
): DivergenceFacts {
  return plainFacts(seq, rule.category, 'link', path, rule.thing, expected, actual)
}

function plainFacts(
  seq: number,
  category: string,
  code: DivergenceCode,
  path: string,
  thing: string,
  expected: string | number | null,
  actual: string | number | null,
): DivergenceFacts {
  const words = {
    form: 'diverged',
    thing,
    recorded: cut(String(expected)),
    replay: cut(String(actual)),
  } as const
  return {
    seq,
    category,
    code,
    path,
    expected: bounded(expected),
    actual: bounded(actual),
    payload: null,
    words,
  }
}
