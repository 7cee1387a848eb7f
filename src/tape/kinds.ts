/**
 * Every kind of record, field by field, in the order in which it is written: upstream's fields first and byte
 * for byte, then ours. This table is the codec, the JSON Schema, the scrubber's map and (by a test) the docs.
 *
 * A kind that is not in it is kept as it came (`UnknownKind`).
 *
 * Decision 0001.
 */
import { chunk, payload } from './content-fields.ts'
import {
  decimal,
  type Field,
  hash,
  headerPairs,
  integer,
  json,
  labelled,
  lengths,
  nullable,
  oneOf,
  optional,
  text,
  texts,
} from './fields.ts'
import { childSeals, completeness, namedPlaces, outputDigest, processExit } from './seal-fields.ts'
import { answered, type Fields, upstream } from './upstream-kinds.ts'

/** Fields that a newer writer added to a known kind: wire name to JSON text. */
export type ExtraFields = { readonly [wire: string]: string }

type OptionalNames<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly presence: 'optional' } ? K : never
}[keyof F]
type ValueOf<F> = F extends Field<infer T> ? T : never
type KindOf<N extends string, F extends Fields> = { readonly kind: N; readonly extra?: ExtraFields } & {
  readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]>
} & { readonly [K in OptionalNames<F>]?: ValueOf<F[K]> }

/** `same`: it came with the record before it of its effect, and is delivered in the same turn. */
const sameTurn = optional(labelled('turn'))

/** Our own kinds; to upstream's reader they are `unknown`. */
const ours = {
  effect_start: {
    id: integer('id'),
    boundary: labelled('boundary'),
    key: text('key', 'sent'),
    request: optional(json('request', 'sent')),
    /** Of a subprocess, if it was started. */
    pid: optional(integer('pid')),
  },
  http_exchange: {
    id: integer('id'),
    method: text('method', 'sent'),
    url: text('url', 'sent'),
    requestHeaders: headerPairs('request_headers', 'sent'),
    requestBody: optional(payload('request_body', 'sent')),
    status: nullable(integer('status')),
    statusText: optional(text('status_text', 'received')),
    responseHeaders: headerPairs('response_headers', 'received'),
    responseBody: optional(payload('response_body', 'received')),
    error: optional(json('error', 'received')),
    /** If the server's version is not 1.1. */
    httpVersion: optional(decimal('http_version')),
  },
  /** A request that reached a server of the program, over the connection `of`. */
  server_request: {
    of: integer('of'),
    method: text('method', 'sent'),
    target: text('target', 'sent'),
    headers: headerPairs('headers', 'sent'),
    /** If the client's version is not 1.1. */
    httpVersion: optional(decimal('http_version')),
    turn: sameTurn,
    /** Of a request that came whole. Without it, `stream_chunk`s and a `stream_end` follow. */
    body: optional(chunk('body', 'received')),
    /** Headers with a signature, as a replay gives them to the program: with other digests. */
    signed: optional(headerPairs('signed', 'received')),
  },
  /** What a server of the program answered, written when the answer is whole. */
  server_answer: {
    of: integer('of'),
    status: integer('status'),
    statusText: text('status_text', 'sent'),
    headers: headerPairs('headers', 'sent'),
    body: optional(payload('body', 'sent')),
    trailers: optional(headerPairs('trailers', 'sent')),
    /** `cut`: the connection ended in the middle of it. */
    ended: optional(labelled('ended')),
  },
  timer_fire: { id: integer('id') },
  stream_chunk: {
    of: integer('of'),
    n: integer('n'),
    direction: oneOf('direction', ['in', 'out']),
    data: chunk('data', 'received'),
    /**
     * Bytes of the stream that had arrived with this chunk and are written with a later one, because they
     * could begin a secret.
     */
    held: optional(integer('held')),
    /**
     * Which of several streams of one effect: `stdin`, `stdout`, `stderr`, `ipc`, `fd3`, `signals` of a
     * subprocess.
     */
    stream: optional(labelled('stream')),
    turn: sameTurn,
    /** Lengths in bytes of the chunks that came in one turn and share this record. Without it there is one. */
    parts: optional(lengths('parts')),
  },
  stream_end: {
    of: integer('of'),
    error: nullable(json('error', 'received')),
    /** Bytes that were held back until the end. */
    tail: optional(chunk('tail', 'received')),
    trailers: optional(headerPairs('trailers', 'received')),
    /**
     * `program`: it stopped reading. This record delivered nothing; it only has the `tail` that the last chunk
     * needs.
     */
    closedBy: optional(labelled('closed_by')),
    /** The body came with this content encoding, held a secret, and is stored decoded. */
    decoded: optional(labelled('decoded')),
    stream: optional(labelled('stream')),
    turn: sameTurn,
  },
  /** A whole message of a WebSocket, uncompressed. */
  ws_message: {
    of: integer('of'),
    n: integer('n'),
    direction: oneOf('direction', ['in', 'out']),
    /** `text`, `binary`, `ping`, `pong`, `close`. */
    message: labelled('message'),
    /** Of a `close` the reason. */
    data: chunk('data', 'received'),
    code: optional(integer('code')),
  },
  /** A frame of HTTP/2, without compression and padding. */
  http2_frame: {
    of: integer('of'),
    n: integer('n'),
    direction: oneOf('direction', ['in', 'out']),
    /** `headers`, `data`, `end`, `reset`, `push`, `settings`, `ping`, `goaway`, `window`, `other`, `held`. */
    frame: labelled('frame'),
    /** Missing: the connection itself. */
    stream: optional(integer('stream')),
    headers: optional(headerPairs('headers', 'received')),
    /** Names of headers that must never be indexed. */
    sensitive: optional(texts('sensitive', 'received')),
    /** What the frame carries: data, the payload of a ping, the text of a goaway. */
    data: optional(chunk('data', 'received')),
    held: optional(integer('held')),
    /** Of a `reset` or `goaway`: the error code. */
    code: optional(integer('code')),
    /** The stream that is promised, the last stream, the size that is added to a window, the type of another frame. */
    value: optional(integer('value')),
    settings: optional(json('settings', 'kept')),
    /** `stream`: the sender sends no more on it; `ack`: it confirms. */
    flag: optional(labelled('flag')),
    turn: sameTurn,
  },
  /** A subprocess has ended. Its streams may go on; `process_spawn` sums it up when they have ended too. */
  process_exit: {
    of: integer('of'),
    code: integer('code'),
    signal: nullable(labelled('signal')),
    durationMs: integer('duration_ms'),
  },
  completion: { of: integer('of'), api: optional(labelled('api')) },
  random_read: { api: labelled('api'), data: chunk('data', 'received') },
  env_read: {
    name: text('name', 'sent'),
    value: nullable(text('value', 'sent')),
    api: optional(labelled('api')),
  },
  fs_call: {
    call: labelled('call'),
    path: text('path', 'sent'),
    result: nullable(json('result', 'received')),
    error: nullable(json('error', 'received')),
    ...answered,
    /**
     * Bytes that were read from an open file, and the stretch of it that they belong to: bytes that were read
     * one after the other.
     */
    data: optional(chunk('data', 'received')),
    stretch: optional(integer('stretch')),
    /**
     * As of a `stream_chunk`. A record of `call` `tail` has what is left of a stretch at its end; it delivers
     * nothing.
     */
    held: optional(integer('held')),
  },
  /**
   * A file that the program changes, as it was before the first change and as it is at the end: what a diff
   * and `apply` go by.
   */
  file_state: {
    when: oneOf('when', ['before', 'after']),
    path: text('path', 'sent'),
    state: oneOf('state', ['absent', 'file', 'folder', 'symlink']),
    mode: optional(integer('mode')),
    target: optional(text('target', 'received')),
    /** Missing if the file was too large to be kept. */
    payload: optional(payload('payload', 'received')),
  },
  mcp_message: {
    server: text('server', 'sent'),
    /** `out`: from the client to its server. */
    direction: oneOf('direction', ['in', 'out']),
    message: payload('message', 'received'),
    wire: optional(integer('wire')),
    n: optional(integer('n')),
  },
  stdin_read: { data: chunk('data', 'received') },
  terminal_session: {
    program: text('program', 'sent'),
    args: texts('args', 'sent'),
    /** The name of its folder in `<tape>.cassettes/`; empty if none was written. */
    cassette: text('cassette', 'sent'),
    exitCode: nullable(integer('exit_code')),
    of: optional(integer('of')),
    /** BLAKE3 of the child's whole output, as the cassette stores it. */
    outputHash: optional(hash('output_hash')),
    /** BLAKE3 of the cassette's manifest, which guards its other files. */
    manifestHash: optional(hash('manifest_hash')),
    /** The number of the signal that ended it. */
    signal: optional(integer('signal')),
    /** `program`: it ended before its child did. This record delivered nothing. */
    closedBy: optional(labelled('closed_by')),
  },
  /** Output of a child on a terminal: its bytes are in the cassette, from `offset` on. */
  terminal_output: {
    of: integer('of'),
    n: integer('n'),
    offset: integer('offset'),
    lenBytes: integer('len_bytes'),
  },
  gap: { boundary: labelled('boundary'), reason: text('reason', 'sent') },
  /**
   * Something that could have let inputs in unseen, and need not have: an addon that was loaded, a loader
   * with a thread of its own.
   */
  note: { boundary: labelled('boundary'), reason: text('reason', 'sent') },
  /** The program left the tape that it was run from. Only the tape of a replay, a what-if or a fork has it. */
  divergence: {
    category: labelled('category'),
    message: text('message', 'sent'),
    expected: nullable(text('expected', 'sent')),
    actual: nullable(text('actual', 'sent')),
    path: nullable(text('path', 'sent')),
    /** The record where it shows; null for the run as a whole. */
    at: nullable(integer('at')),
    /**
     * The program was refused this effect, or the call with this key, because it was not live. Part of the
     * run: a replay of the tape refuses it in the same way.
     */
    of: optional(integer('of')),
    refused: optional(text('refused', 'sent')),
    /** `run`: the run was ended there. */
    ends: optional(labelled('ends')),
  },
  tape_seal: {
    records: integer('records'),
    chain: hash('chain'),
    boundaries: completeness('boundaries'),
    exit: nullable(processExit('exit')),
    stdout: nullable(outputDigest('stdout')),
    stderr: nullable(outputDigest('stderr')),
    /** The tapes of children by name, each with what proves it: see `ChildSeal`. */
    children: optional(childSeals('children')),
    /** The folders that names in the header mean: see `NamedPlaces`. */
    places: optional(namedPlaces('places')),
    /** `program`: it has sent the signal of `exit` to itself. */
    endedBy: optional(labelled('ended_by')),
    signature: optional(json('signature', 'kept')),
  },
} as const satisfies { readonly [name: string]: Fields }

export const kinds = { ...upstream, ...ours }
export const upstreamKinds: ReadonlySet<string> = new Set(Object.keys(upstream))

type Kinds = typeof kinds
export type KindName = keyof Kinds
export type KnownKind = { [N in KindName]: KindOf<N, Kinds[N]> }[KindName]
export type Kind<N extends KindName> = Extract<KnownKind, { readonly kind: N }>

/**
 * A kind from a newer writer. `json` is its object as stored on the line, `name` the value of its `kind`.
 */
export type UnknownKind = { readonly kind: 'unknown'; readonly name: string; readonly json: string }

export type RecordKind = KnownKind | UnknownKind

/** The name on the wire. */
export function kindName(kind: RecordKind): string {
  return kind.kind === 'unknown' ? kind.name : kind.kind
}
