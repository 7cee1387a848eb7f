/** Decodes the two small nested objects: why a rollback happened, and what a memory retrieval chose. */
import { isObject } from '../../base/index.ts'
import { type EventProblem, wrong } from './problems.ts'

const ROLLBACK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  fatal_tool_error: ['tool_name', 'error'],
  governance_denied: ['tool_name', 'reason'],
  provider_failure: ['error'],
  timeout: [],
  user_interrupt: [],
  malformed_replay: ['reason'],
}

export const ROLLBACK_KINDS: readonly string[] = Object.keys(ROLLBACK_FIELDS)

/** A kind that this version does not know is kept with whatever fields it has. */
export function decodeRollbackReason(value: unknown, path: string, problems: EventProblem[]): unknown {
  if (!isObject(value)) return wrong(value, 'an object', path, problems)
  if (typeof value.kind !== 'string') return wrong(value.kind, 'a string', `${path}.kind`, problems)
  const fields = Object.hasOwn(ROLLBACK_FIELDS, value.kind) ? (ROLLBACK_FIELDS[value.kind] ?? []) : []
  for (const name of fields)
    if (typeof value[name] !== 'string') wrong(value[name], 'a string', `${path}.${name}`, problems)
  return value
}

export function decodeRetrieval(value: unknown, path: string, problems: EventProblem[]): unknown {
  if (!isObject(value)) return wrong(value, 'an object', path, problems)
  const ids = value.selected_memory_ids
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    wrong(ids, 'an array of strings', `${path}.selected_memory_ids`, problems)
  if (typeof value.selection_rationale !== 'string')
    wrong(value.selection_rationale, 'a string', `${path}.selection_rationale`, problems)
  return value
}
