/**
 * The 31 kinds of session events, with their fields in the order in which they are written. This table drives
 * decoding, writing, the types and the tests; there is no second list of fields anywhere.
 *
 * A kernel event carries an optional category and primitive right after its turn.
 */
import { defaulted, type Field, type FieldTypes, nullable, omitEmpty, optional, required } from './fields.ts'

const u32 = required('u32')
const text = required('string')
const maybeText = optional('string')
const kernel = { turn: u32, category: optional('category'), primitive: optional('primitive') }

export const eventKinds = {
  run_started: {
    run_id: text,
    goal: text,
    criteria: defaulted('strings'),
    agent_id: nullable('string'),
    system_prompt: nullable('string'),
  },
  llm_completed: { turn: u32, message: required('message'), provider_replay: optional('object') },
  tool_requested: { turn: u32, calls: required('tool-calls') },
  tool_completed: { turn: u32, results: required('tool-results') },
  compressed: {
    ...kernel,
    archived_seq_range: required('u64-pair'),
    action: maybeText,
    summary: maybeText,
    summary_tokens: optional('u32'),
    archive_ref: maybeText,
    preserved_refs: omitEmpty,
  },
  page_out: {
    ...kernel,
    action: maybeText,
    summary: maybeText,
    tier_hint: maybeText,
    message_count: defaulted('u32'),
  },
  page_in: { ...kernel, entry_count: u32 },
  large_result_spooled: {
    ...kernel,
    call_id: text,
    tool: text,
    original_size: u32,
    preview_size: u32,
    spool_ref: maybeText,
  },
  run_terminal: { reason: text, turns_used: u32, total_tokens: required('u64') },
  tool_argument_repaired: { turn: u32, tool: text, original_arguments: text, repaired_arguments: text },
  permission_requested: { turn: u32, tool: text, arguments: text, reason: nullable('string') },
  permission_resolved: { turn: u32, approved: required('bool'), responder: text },
  tool_denied: { turn: u32, call_id: text, tool_name: text, reason: text },
  capability_changed: {
    ...kernel,
    added: omitEmpty,
    removed: omitEmpty,
    change_kind: maybeText,
    capability_id: maybeText,
    version: maybeText,
    mounted_by: maybeText,
    mount_reason: maybeText,
  },
  context_renewed: { ...kernel, sprint: u32, handoff_ref: text },
  suspended: { ...kernel, reason: text, pending_calls: omitEmpty },
  resumed: { ...kernel, approved: omitEmpty, denied: omitEmpty },
  tool_gated: { ...kernel, call_id: text, tool: text, reason: text },
  signal_disposed: { ...kernel, signal_id: text, disposition: text, queue_depth: u32 },
  budget_exceeded: { ...kernel, budget: text },
  checkpoint_taken: { ...kernel, history_len: u32 },
  rollbacked: { ...kernel, checkpoint_history_len: u32, reason: optional('rollback-reason') },
  cleanup_completed: { run_id: text, freed_resources: required('strings') },
  agent_process_changed: {
    ...kernel,
    agent_id: text,
    parent_session_id: text,
    role: text,
    isolation: text,
    context_inheritance: text,
    state: text,
    permitted_capability_ids: omitEmpty,
    result_termination: maybeText,
  },
  milestone_advanced: { ...kernel, phase_id: text, capabilities_unlocked: defaulted('strings') },
  milestone_blocked: { ...kernel, phase_id: text, reason: text },
  milestone_evidence: { ...kernel, phase_id: text, evidence: omitEmpty },
  memory_written: { ...kernel, memory_id: text, memory_kind: text, size_bytes: u32 },
  memory_queried: {
    ...kernel,
    query_context: text,
    requested_k: required('u64'),
    requires_async_response: required('bool'),
  },
  memory_validation_failed: { ...kernel, memory_id: text, error: text },
  memory_retrieval_result: { retrieval: required('retrieval') },
} as const

type Kinds = typeof eventKinds
export type EventKind = keyof Kinds

type Written<F> =
  F extends Field<infer T, infer P> ? (P extends 'nullable' ? FieldTypes[T] | null : FieldTypes[T]) : never
type MayBeAbsent<F> =
  F extends Field<infer _T, infer P> ? (P extends 'optional' | 'omit-empty' ? true : false) : never
type FieldsOf<S> = {
  readonly [N in keyof S as MayBeAbsent<S[N]> extends true ? never : N]: Written<S[N]>
} & {
  readonly [N in keyof S as MayBeAbsent<S[N]> extends true ? N : never]?: Written<S[N]>
}

/** One event of a known kind, in the shape in which it is written. */
export type SessionEventOf<K extends EventKind> = { readonly kind: K } & FieldsOf<Kinds[K]>
export type KnownEvent = { [K in EventKind]: SessionEventOf<K> }[EventKind]

/** A kind that this version does not know: kept as it came. */
export type ForeignEvent = { readonly kind: string; readonly [field: string]: unknown }
export type SessionEvent = KnownEvent | ForeignEvent

export const eventKindNames = Object.keys(eventKinds) as readonly EventKind[]

export function isKnownKind(kind: string): kind is EventKind {
  return Object.hasOwn(eventKinds, kind)
}

export function isKnownEvent(event: { readonly kind: string }): event is KnownEvent {
  return isKnownKind(event.kind)
}
