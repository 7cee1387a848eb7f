/**
 * Values of closed lists that this version does not know: category, primitive, role of a message, kind of an
 * error, reason of a rollback.
 *
 * A newer producer may write such a value, so the event is kept as it came, and the value is reported.
 */
import { isObject, listOf } from '../../base/index.ts'
import { ROLLBACK_KINDS } from './decode-nested.ts'
import { categories, errorKinds, primitives, roles } from './fields.ts'
import { isKnownKind, type SessionEvent } from './kinds.ts'

export type UnknownValue = { readonly path: string; readonly value: string }

/** Of an event that `decodeEvent` accepted. A kind that this version does not know has no lists to check. */
export function unknownValues(event: SessionEvent): readonly UnknownValue[] {
  if (!isKnownKind(event.kind)) return []
  const fields: { readonly [name: string]: unknown } = event
  const found: UnknownValue[] = []
  const check = (path: string, value: unknown, known: readonly string[]): void => {
    if (typeof value === 'string' && !known.includes(value)) found.push({ path, value })
  }
  check('$.category', fields.category, categories)
  check('$.primitive', fields.primitive, primitives)
  if (event.kind === 'llm_completed' && isObject(fields.message))
    check('$.message.role', fields.message.role, roles)
  if (event.kind === 'rollbacked' && isObject(fields.reason))
    check('$.reason.kind', fields.reason.kind, ROLLBACK_KINDS)
  if (event.kind === 'tool_completed') {
    listOf(fields.results).forEach((result, at) => {
      if (isObject(result)) check(`$.results[${at}].error_kind`, result.error_kind, errorKinds)
    })
  }
  return found
}
