/**
 * Turns parsed JSON into a session event in the shape that is written: known fields in table order with their
 * defaults, then whatever else the object held. Never guesses: a missing or mistyped field is a problem with
 * its path, and an unknown kind is kept as it came.
 *
 * A value that a closed list of this version does not have is kept; `unknownValues` reports it.
 *
 * Reads the shapes of all upstream SDKs (see ./foreign-shapes.ts). `null` for a field that may be missing
 * means absent.
 */
import { isObject, isU32, isU64, type UnknownObject } from '../../base/index.ts'
import { decodeMessage, decodeToolCalls, decodeToolResults } from './decode-message.ts'
import { decodeRetrieval, decodeRollbackReason } from './decode-nested.ts'
import type { Field } from './fields.ts'
import { toRustShape } from './foreign-shapes.ts'
import { type EventKind, eventKinds, isKnownKind, type SessionEvent } from './kinds.ts'
import { type EventProblem, eventInvalid, shown } from './problems.ts'

export type Decoded =
  | { readonly ok: true; readonly event: SessionEvent }
  | { readonly ok: false; readonly problems: readonly EventProblem[] }

/** The event, or a RepriseError `event-invalid` that names path and reason. */
export function parseSessionEvent(value: unknown): SessionEvent {
  const decoded = decodeEvent(value)
  if (decoded.ok) return decoded.event
  throw eventInvalid(isObject(value) && typeof value.kind === 'string' ? value.kind : null, decoded.problems)
}

export function decodeEvent(value: unknown): Decoded {
  if (!isObject(value)) return failure('$', `expected an object, got ${shown(value)}`)
  if (typeof value.kind !== 'string') return failure('$.kind', `expected a string, got ${shown(value.kind)}`)
  if (!isKnownKind(value.kind)) return { ok: true, event: { ...value, kind: value.kind } }
  return decodeKnown(value.kind, toRustShape(value.kind, value))
}

function failure(path: string, reason: string): Decoded {
  return { ok: false, problems: [{ path, reason }] }
}

const tables = new Map<EventKind, readonly (readonly [string, Field])[]>(
  (Object.keys(eventKinds) as EventKind[]).map((kind) => [kind, Object.entries(eventKinds[kind])]),
)

function decodeKnown(kind: EventKind, source: UnknownObject): Decoded {
  const problems: EventProblem[] = []
  const event: Record<string, unknown> & { kind: string } = { kind }
  for (const [name, field] of tables.get(kind) ?? []) decodeField(event, source, name, field, problems)
  for (const name in source)
    if (!Object.hasOwn(event, name) && !isAbsent(kind, name, source[name])) setOwn(event, name, source[name])
  return problems.length > 0 ? { ok: false, problems } : { ok: true, event }
}

/**
 * A known optional field that was null or empty has been left out on purpose; anything else unknown is kept.
 */
function isAbsent(kind: EventKind, name: string, value: unknown): boolean {
  return value === undefined || Object.hasOwn(eventKinds[kind], name)
}

/** `__proto__` in a hostile file must become a plain field, not a prototype. */
function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
  else target[name] = value
}

function decodeField(
  event: Record<string, unknown>,
  source: UnknownObject,
  name: string,
  field: Field,
  problems: EventProblem[],
): void {
  const value = Object.hasOwn(source, name) ? source[name] : undefined
  const path = `$.${name}`
  if (value === undefined || value === null) {
    switch (field.presence) {
      case 'required':
        problems.push({
          path,
          reason: value === null ? `expected ${expectation(field)}, got null` : 'is missing',
        })
        return
      case 'nullable':
        event[name] = null
        return
      case 'default':
        event[name] = field.type === 'u32' ? 0 : []
        return
      case 'omit-empty':
      case 'optional':
        return
    }
  }
  const decoded = decodeValue(value, field, path, problems)
  if (field.presence === 'omit-empty' && Array.isArray(decoded) && decoded.length === 0) return
  event[name] = decoded
}

function decodeValue(value: unknown, field: Field, path: string, problems: EventProblem[]): unknown {
  switch (field.type) {
    case 'u32':
      if (!isU32(value)) mistyped(value, field, path, problems)
      return value
    case 'u64':
      if (!isU64(value)) mistyped(value, field, path, problems)
      return value
    case 'string':
    case 'category':
    case 'primitive':
      if (typeof value !== 'string') mistyped(value, field, path, problems)
      return value
    case 'bool':
      if (typeof value !== 'boolean') mistyped(value, field, path, problems)
      return value
    case 'object':
      if (!isObject(value)) mistyped(value, field, path, problems)
      return value
    case 'strings':
      return decodeStrings(value, field, path, problems)
    case 'u64-pair':
      if (!Array.isArray(value) || value.length !== 2 || !value.every(isU64))
        mistyped(value, field, path, problems)
      return value
    case 'message':
      return decodeMessage(value, path, problems)
    case 'tool-calls':
      return decodeToolCalls(value, path, problems)
    case 'tool-results':
      return decodeToolResults(value, path, problems)
    case 'rollback-reason':
      return decodeRollbackReason(value, path, problems)
    case 'retrieval':
      return decodeRetrieval(value, path, problems)
  }
}

function decodeStrings(value: unknown, field: Field, path: string, problems: EventProblem[]): unknown {
  if (!Array.isArray(value)) return mistyped(value, field, path, problems)
  for (let at = 0; at < value.length; at += 1) {
    if (typeof value[at] !== 'string')
      problems.push({ path: `${path}[${at}]`, reason: `expected a string, got ${shown(value[at])}` })
  }
  return value
}

function mistyped(value: unknown, field: Field, path: string, problems: EventProblem[]): unknown {
  problems.push({ path, reason: `expected ${expectation(field)}, got ${shown(value)}` })
  return value
}

function expectation(field: Field): string {
  switch (field.type) {
    case 'u32':
      return 'a whole number from 0 to 4294967295'
    case 'u64':
      return 'a whole number from 0 to 18446744073709551615'
    case 'string':
    case 'category':
    case 'primitive':
      return 'a string'
    case 'bool':
      return 'true or false'
    case 'object':
    case 'message':
    case 'retrieval':
    case 'rollback-reason':
      return 'an object'
    case 'strings':
      return 'an array of strings'
    case 'tool-calls':
    case 'tool-results':
      return 'an array'
    case 'u64-pair':
      return 'two whole numbers'
  }
}
