/**
 * Upstream's kinds of records, field by field, in the order in which they are written; our own fields come
 * after upstream's. `kinds.ts` has the whole table.
 */
import { payload } from './content-fields.ts'
import {
  decimal,
  type Field,
  hash,
  hashes,
  integer,
  json,
  labelled,
  nullable,
  oneOf,
  optional,
  text,
  texts,
} from './fields.ts'

// biome-ignore lint/suspicious/noExplicitAny: the one place where a field of any type is meant
export type Fields = { readonly [name: string]: Field<any> }

/**
 * What a call of the world that has one answer carries: the effect that it answers, or, if it was answered at
 * once, what was requested.
 */
export const answered = { of: optional(integer('of')), key: optional(text('key', 'sent')) }

/** Upstream's kinds; every field of theirs is required unless a test of upstream's reader shows otherwise. */
export const upstream = {
  clock_read: {
    source: oneOf('source', ['wall', 'monotonic']),
    valueMs: integer('value_ms', 'i64'),
    value: optional(decimal('value')),
    api: optional(labelled('api')),
  },
  clock_sleep: {
    durationMs: integer('duration_ms', 'u64'),
    /** The effect that ends with it. */
    of: optional(integer('of')),
  },
  llm_call: {
    requestDigest: hash('request_digest'),
    response: payload('response', 'received'),
    provider: optional(text('provider', 'sent')),
    model: optional(text('model', 'sent')),
    request: optional(json('request', 'sent')),
    usage: optional(json('usage', 'kept')),
    wire: optional(integer('wire')),
    error: optional(json('error', 'received')),
  },
  decision_evaluation: { requestDigest: hash('request_digest'), response: payload('response', 'received') },
  file_read: {
    path: text('path', 'sent'),
    contentHash: hash('content_hash'),
    lenBytes: integer('len_bytes', 'u64'),
    payload: optional(payload('payload', 'received')),
    ...answered,
  },
  file_write: {
    path: text('path', 'sent'),
    contentHash: hash('content_hash'),
    lenBytes: integer('len_bytes', 'u64'),
    payload: optional(payload('payload', 'received')),
    ...answered,
    /** Where what was added to the end begins. */
    from: optional(integer('from')),
    /**
     * What was passed to a call that never completed: the file was still open, or the write under way, when
     * the run ended. The text names which of the two.
     */
    unfinished: optional(text('unfinished', 'sent')),
  },
  file_delete: { path: text('path', 'sent'), ...answered },
  process_spawn: {
    program: text('program', 'sent'),
    args: texts('args', 'sent'),
    cwd: nullable(text('cwd', 'sent')),
    exitCode: integer('exit_code', 'i32'),
    durationMs: integer('duration_ms', 'u64'),
    stdoutPayload: payload('stdout_payload', 'received'),
    stderrPayload: payload('stderr_payload', 'received'),
    stdin: optional(payload('stdin', 'sent')),
    signal: optional(labelled('signal')),
    io: optional(json('io', 'kept')),
    /** The child's own tape, in `<tape>.children/`. */
    tape: optional(text('tape', 'sent')),
    ...answered,
  },
  mcp_json_rpc: {
    server: text('server', 'sent'),
    method: text('method', 'sent'),
    requestDigest: hash('request_digest'),
    responseDigest: hash('response_digest'),
    latencyMs: integer('latency_ms', 'u64'),
    requestPayload: payload('request_payload', 'sent'),
    responsePayload: payload('response_payload', 'received'),
    /** The effect that carried the request, and the how manieth message of the client over it. */
    wire: optional(integer('wire')),
    n: optional(integer('n')),
    /** The id of a request whose answer does not carry it. */
    requestId: optional(json('request_id', 'sent')),
  },
  model_job: {
    jobId: text('job_id', 'received'),
    requestId: text('request_id', 'received'),
    backend: text('backend', 'received'),
    state: text('state', 'received'),
    eventKind: text('event_kind', 'received'),
    event: payload('event', 'received'),
    assetDigests: hashes('asset_digests'),
  },
} as const satisfies { readonly [name: string]: Fields }
