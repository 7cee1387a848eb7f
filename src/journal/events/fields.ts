/**
 * The vocabulary of the event table: which types a field can have, and what its absence means. `FieldTypes`
 * is what a decoded field is in memory; `Presence` decides whether it may be missing on input and how it is
 * written.
 */
export type Category = 'syscall' | 'sched' | 'mm' | 'proc' | 'ipc'
export type Primitive = 'syscall' | 'sched' | 'mm'

export const categories: readonly Category[] = ['syscall', 'sched', 'mm', 'proc', 'ipc']
export const primitives: readonly Primitive[] = ['syscall', 'sched', 'mm']

/** Any JSON, as it came. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }
type JsonObject = { readonly [key: string]: JsonValue }

/** A value that a newer producer may write and that this version does not know. */
type Unlisted = string & Record<never, never>

export type Role = 'system' | 'user' | 'assistant' | 'tool'
export const roles: readonly Role[] = ['system', 'user', 'assistant', 'tool']

export type ContentPart = { readonly type: string; readonly [key: string]: JsonValue }
export type Content = string | readonly ContentPart[]
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: JsonValue }
export type Message = {
  readonly role: Role | Unlisted
  readonly content: Content
  readonly tool_calls?: readonly ToolCall[]
  readonly token_count?: number
}
export type ToolResult = {
  readonly call_id: string
  readonly output: Content
  readonly is_error: boolean
  readonly is_fatal: boolean
  readonly error_kind?: ErrorKind | Unlisted
  readonly token_count: number | null
}
export type ErrorKind =
  | 'recoverable'
  | 'fatal'
  | 'governance_denied'
  | 'provider_failure'
  | 'timeout'
  | 'user_interrupt'
export const errorKinds: readonly ErrorKind[] = [
  'recoverable',
  'fatal',
  'governance_denied',
  'provider_failure',
  'timeout',
  'user_interrupt',
]

type Retrieval = { readonly selected_memory_ids: readonly string[]; readonly selection_rationale: string }
export type RollbackReason =
  | { readonly kind: 'fatal_tool_error'; readonly tool_name: string; readonly error: string }
  | { readonly kind: 'governance_denied'; readonly tool_name: string; readonly reason: string }
  | { readonly kind: 'provider_failure'; readonly error: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'user_interrupt' }
  | { readonly kind: 'malformed_replay'; readonly reason: string }

export type FieldTypes = {
  u32: number
  /** Beyond 2^53 a number loses its last digits in JavaScript; the journal's own bytes keep them. */
  u64: number
  string: string
  bool: boolean
  strings: readonly string[]
  object: JsonObject
  'u64-pair': readonly [number, number]
  message: Message
  'tool-calls': readonly ToolCall[]
  'tool-results': readonly ToolResult[]
  'rollback-reason': RollbackReason
  retrieval: Retrieval
  category: Category | Unlisted
  primitive: Primitive | Unlisted
}
export type FieldType = keyof FieldTypes

/**
 * `required` must be there · `optional` is left out when none · `nullable` is written as null when none ·
 * `default` may be missing and is always written · `omit-empty` may be missing and is left out when empty.
 */
type Presence = 'required' | 'optional' | 'nullable' | 'default' | 'omit-empty'

export type Field<T extends FieldType = FieldType, P extends Presence = Presence> = {
  readonly type: T
  readonly presence: P
}

export const required = <T extends FieldType>(type: T): Field<T, 'required'> => ({
  type,
  presence: 'required',
})
export const optional = <T extends FieldType>(type: T): Field<T, 'optional'> => ({
  type,
  presence: 'optional',
})
export const nullable = <T extends FieldType>(type: T): Field<T, 'nullable'> => ({
  type,
  presence: 'nullable',
})
/** A list that is empty, or a count that is 0, when missing; always written. */
export const defaulted = <T extends 'strings' | 'u32'>(type: T): Field<T, 'default'> => ({
  type,
  presence: 'default',
})
/** A list that is left out when it is empty. */
export const omitEmpty: Field<'strings', 'omit-empty'> = { type: 'strings', presence: 'omit-empty' }
