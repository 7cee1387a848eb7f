/**
 * Reads a snapshot document that Rust, Node or Python wrote. The two optionals may be absent, memory counts
 * default to 0, every other key is required; keys in camelCase (Node) are taken where the snake_case one is
 * missing; unknown keys are ignored.
 */
import { isObject, isU32, isU64, listOf, textOf, type UnknownObject } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { shown } from '../events/problems.ts'
import type { OsSnapshot } from './os-snapshot.ts'

export function parseOsSnapshot(value: unknown): OsSnapshot {
  if (!isObject(value)) throw invalid('$', `expected an object, got ${shown(value)}`)
  const suspend = pick(value, 'last_suspend') ?? null
  return {
    last_suspend:
      suspend === null
        ? null
        : record(suspend, '$.last_suspend', { turn: 'u32', reason: 'string', pending_calls: 'strings' }),
    last_resumed_turn:
      (pick(value, 'last_resumed_turn') ?? null) === null ? null : u32(value, 'last_resumed_turn'),
    process_by_agent: records(value, 'process_by_agent', {
      turn: 'u32',
      agent_id: 'string',
      parent_session_id: 'string',
      state: 'string',
    }),
    ...(pick(value, 'budget_usage_reported') === undefined ? baseLists(value) : newestLists(value)),
    page_out_count: u32(value, 'page_out_count'),
    page_in_count: u32(value, 'page_in_count'),
    tool_gated_count: u32(value, 'tool_gated_count'),
    memory_written_count: u32(value, 'memory_written_count', 0),
    memory_queried_count: u32(value, 'memory_queried_count', 0),
    memory_validation_failed_count: u32(value, 'memory_validation_failed_count', 0),
    memory_retrieval_result_count: u32(value, 'memory_retrieval_result_count', 0),
  }
}

type Lists = Pick<OsSnapshot, 'budget_exceeded' | 'budget_usage_reported' | 'cancellations' | 'signals'>

function baseLists(value: UnknownObject): Lists {
  return {
    budget_exceeded: records(value, 'budget_exceeded', { turn: 'u32', budget: 'string' }),
    signals: records(value, 'signals', {
      turn: 'u32',
      signal_id: 'string',
      disposition: 'string',
      queue_depth: 'u32',
    }),
  }
}

/** Versions between the two forms have no `cancellations` yet. */
function newestLists(value: UnknownObject): Lists {
  const operation = { turn: 'u32', operation_id: 'string' } as const
  const cancelled = { ...operation, reason: 'string', pending_call_ids: 'strings' } as const
  return {
    budget_exceeded: records(value, 'budget_exceeded', { ...operation, budget: 'string' }).map(
      ({ turn, operation_id, budget }, at) => ({
        turn,
        operation_id,
        reservation_id: reservationAt(value, at),
        budget,
      }),
    ),
    budget_usage_reported: records(value, 'budget_usage_reported', {
      ...operation,
      reservation_id: 'string',
      tokens: 'u64',
      subagents: 'u32',
      rounds: 'u32',
    }),
    cancellations:
      pick(value, 'cancellations') === undefined ? [] : records(value, 'cancellations', cancelled),
    signals: records(value, 'signals', {
      ...operation,
      delivery_id: 'string',
      attempt: 'u32',
      signal_id: 'string',
      disposition: 'string',
      queue_depth: 'u32',
    }),
  }
}

function reservationAt(value: UnknownObject, at: number): string | null {
  const row: unknown = listOf(pick(value, 'budget_exceeded'))[at]
  return isObject(row) ? textOf(row.reservation_id) : null
}

type Shape = { readonly [name: string]: 'u32' | 'u64' | 'string' | 'strings' }
type Shaped<S extends Shape> = {
  readonly [N in keyof S]: S[N] extends 'u32' | 'u64'
    ? number
    : S[N] extends 'string'
      ? string
      : readonly string[]
}

function records<S extends Shape>(source: UnknownObject, name: string, shape: S): readonly Shaped<S>[] {
  const list = pick(source, name)
  if (!Array.isArray(list))
    throw invalid(`$.${name}`, list === undefined ? 'is missing' : `expected an array, got ${shown(list)}`)
  return list.map((item: unknown, at) => record(item, `$.${name}[${at}]`, shape))
}

function record<S extends Shape>(value: unknown, path: string, shape: S): Shaped<S> {
  if (!isObject(value)) throw invalid(path, `expected an object, got ${shown(value)}`)
  const entries = Object.entries(shape).map(([name, type]) => {
    const field = value[name]
    if (!fits(field, type))
      throw invalid(
        `${path}.${name}`,
        field === undefined ? 'is missing' : `expected ${type}, got ${shown(field)}`,
      )
    return [name, field]
  })
  return Object.fromEntries(entries)
}

function fits(value: unknown, type: Shape[string]): boolean {
  switch (type) {
    case 'u32':
      return isU32(value)
    case 'u64':
      return isU64(value)
    case 'string':
      return typeof value === 'string'
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
  }
}

function u32(source: UnknownObject, name: string, missing?: number): number {
  const value = pick(source, name) ?? missing
  if (!isU32(value))
    throw invalid(
      `$.${name}`,
      value === undefined ? 'is missing' : `expected a whole number, got ${shown(value)}`,
    )
  return value
}

function pick(source: UnknownObject, name: string): unknown {
  return source[name] ?? source[name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())]
}

function invalid(path: string, reason: string): RepriseError {
  return new RepriseError('snapshot-invalid', `not an audit snapshot: ${path} ${reason}`, {
    details: { path, reason },
  })
}
