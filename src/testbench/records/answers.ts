/** Records of files and subprocesses as the answers to calls. */
import { type ContentHash, type Json, unreachable } from '../../base/index.ts'
import { errorFactsOf } from '../../boundaries/errors.ts'
import type { Answer, AnswerType, ErrorFacts, Outcome } from '../../boundaries/session.ts'
import { type Kind, type Payload, payloadLength } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'

export type AnswerKind = Kind<AnswerType>

const TYPES: ReadonlySet<string> = new Set<AnswerType>([
  'file_read',
  'file_write',
  'file_delete',
  'fs_call',
  'process_spawn',
])

export function isAnswer(outcome: Outcome): outcome is Answer {
  return TYPES.has(outcome.type)
}

export function isAnswerKind(kind: { readonly kind: string }): kind is AnswerKind {
  return TYPES.has(kind.kind)
}

export type BytesRead = (kind: Kind<'fs_call'>) => Uint8Array

/**
 * `bytesRead` returns the bytes of a stretch, split where they were split when recorded. `isChecked`: payloads have
 * the hashes that the tape has for them.
 */
export function answerOf(
  kind: AnswerKind,
  payloads: TapePayloads,
  bytesRead: BytesRead = () => new Uint8Array(),
  isChecked = false,
): Answer {
  switch (kind.kind) {
    case 'file_read':
      return new RecordedRead(kind, payloads, isChecked)
    case 'file_write':
      return new RecordedWrite(kind, payloads)
    case 'file_delete':
      return { type: 'file_delete', path: kind.path }
    case 'fs_call':
      return {
        type: 'fs_call',
        call: kind.call,
        path: kind.path,
        result: kind.result,
        error: kind.error === null ? null : errorFactsOf(kind.error),
        ...(kind.data === undefined ? {} : { data: bytesRead(kind) }),
      }
    case 'process_spawn':
      return {
        type: 'process_spawn',
        program: kind.program,
        args: kind.args,
        cwd: kind.cwd,
        exitCode: kind.exitCode,
        durationMs: kind.durationMs,
        stdout: payloads(kind.stdoutPayload),
        stderr: payloads(kind.stderrPayload),
        ...(kind.stdin === undefined ? {} : { stdin: payloads(kind.stdin) }),
        ...(kind.signal === undefined ? {} : { signal: kind.signal }),
        ...(kind.io === undefined ? {} : { io: kind.io }),
        ...(kind.tape === undefined ? {} : { tape: kind.tape }),
      }
    default:
      return unreachable(kind)
  }
}

/**
 * Reads its bytes on first use, and once: what is encoded is what the program gets. If there is a text, the bytes
 * are its UTF-8.
 */
export class RecordedRead {
  readonly type = 'file_read'
  readonly path: string
  readonly text?: string
  /** Of the text; null if it was not checked. */
  readonly hash: ContentHash | null
  readonly #payload: Payload | undefined
  readonly #payloads: TapePayloads
  #bytes: Uint8Array | null = null

  constructor({ path, payload }: Kind<'file_read'>, payloads: TapePayloads, isChecked: boolean) {
    this.path = path
    this.hash = isChecked && payload !== undefined ? payload.contentHash : null
    this.#payload = payload
    this.#payloads = payloads
    if (payload?.form === 'inline') this.text = payload.text
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#payload === undefined ? new Uint8Array() : this.#payloads(this.#payload)
    return this.#bytes
  }
}

/** Reads its bytes on first use: large written content is compared by its hash. */
export class RecordedWrite {
  readonly type = 'file_write'
  readonly path: string
  readonly payload: Payload | undefined
  /** Of the whole file. */
  readonly contentHash: ContentHash
  /** The payload is what was appended; what was before it is in earlier records. */
  readonly isPart: boolean
  readonly #payloads: TapePayloads
  #bytes: Uint8Array | null = null

  constructor({ path, payload, contentHash, lenBytes, from }: Kind<'file_write'>, payloads: TapePayloads) {
    this.path = path
    this.payload = payload
    this.contentHash = contentHash
    this.isPart = from !== undefined && payload !== undefined && payloadLength(payload) < lenBytes
    this.#payloads = payloads
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.payload === undefined ? new Uint8Array() : this.#payloads(this.payload)
    return this.#bytes
  }
}

/** Errors are plain data already; this only adds the type. */
export function jsonOf(facts: ErrorFacts): Json {
  return JSON.parse(JSON.stringify(facts))
}
