/**
 * Answers of files and subprocesses as records, and records as answers. `asked` says which call a record answers: the effect that was started, or,
 * for a call that was answered at once, its key.
 */
import { type Json, unreachable } from '../../base/index.ts'
import { errorFactsOf } from '../../boundaries/errors.ts'
import type { Answer, AnswerType, ErrorFacts, Outcome } from '../../boundaries/session.ts'
import type { Scrubbed, ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { sliceScrubbed } from '../../scrub/scrubbed-parts.ts'
import type { Kind, Payload, TapeRecorder } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { scrubbedStretches } from './scrubbed-stretches.ts'
import { learnFromSettings } from './settings-secrets.ts'

export type AnswerKind = Kind<AnswerType>
type Asked = { readonly of: number } | { readonly key: ScrubbedText }

const TYPES: ReadonlySet<string> = new Set<AnswerType>(['file_read', 'file_write', 'file_delete', 'fs_call', 'process_spawn'])

export function isAnswer(outcome: Outcome): outcome is Answer {
  return TYPES.has(outcome.type)
}

export function isAnswerKind(kind: { readonly kind: string }): kind is AnswerKind {
  return TYPES.has(kind.kind)
}

export type AnswerWriter = (answer: Answer, asked: Asked) => void

/** Writes the answers of one session: it knows which stretches of files are being read. */
export function answerWriter(recorder: TapeRecorder, scrubber: Scrubber): AnswerWriter {
  const stretches = scrubbedStretches(recorder, scrubber)
  return (answer, asked) => {
    const before = scrubber.hits
    if (answer.type === 'file_read') {
      const record = readRecord(answer, asked, recorder, scrubber)
      recorder.record(record, scrubber.hits - before)
      return
    }
    const stretch = answer.type === 'fs_call' ? answer.stretch : undefined
    const ends = 'ends' in answer ? answer.ends : undefined
    if (ends !== undefined && ends !== stretch) stretches.end(ends, pathOf(answer))
    const read = answer.type === 'fs_call' && answer.data !== undefined ? stretches.read(answer) : {}
    recorder.record({ ...answerRecord(answer, asked, recorder, scrubber), ...read }, scrubber.hits - before)
    if (ends !== undefined && ends === stretch) stretches.end(ends, pathOf(answer))
  }
}

/** A key that ends with the path as it is was scrubbed and kept it: no need to look again. */
function pathText(path: string, asked: Asked, scrubber: Scrubber): ScrubbedText {
  return 'key' in asked && asked.key.endsWith(` ${path}`) ? sliceScrubbed(asked.key, asked.key.length - path.length) : scrubber.text(path, 'sent')
}

function pathOf(answer: Answer): string {
  return 'path' in answer ? answer.path : ''
}

/** What the program takes in is scrubbed as input. What it writes is too: rules that guess would spoil the files that it makes. */
function answerRecord(answer: Answer, asked: Asked, recorder: TapeRecorder, scrubber: Scrubber): Scrubbed<AnswerKind> {
  const payload = (bytes: Uint8Array, side: 'received' | 'sent' = 'received') => recorder.payloadFromBytes(scrubber.bytes(bytes, side))
  switch (answer.type) {
    case 'file_read':
      return readRecord(answer, asked, recorder, scrubber)
    case 'file_write': {
      learnFromSettings(answer.path, answer.bytes, scrubber)
      const bytes = scrubber.bytes(answer.bytes, 'received')
      const stored = recorder.payloadFromBytes(bytes)
      const path = pathText(answer.path, asked, scrubber)
      const record = { path, contentHash: stored.contentHash, lenBytes: bytes.byteLength, payload: stored, ...asked }
      if (answer.from === undefined) return { kind: answer.type, ...record }
      return {
        kind: 'file_write',
        ...record,
        from: Math.max(0, bytes.byteLength - scrubber.bytes(answer.bytes.subarray(answer.from), 'received').byteLength),
      }
    }
    case 'file_delete':
      return { kind: 'file_delete', path: pathText(answer.path, asked, scrubber), ...asked }
    case 'fs_call': {
      const result = scrubber.value(answer.result, 'received')
      const error = answer.error === null ? null : scrubber.value(jsonOf(answer.error), 'received')
      return { kind: 'fs_call', call: answer.call, path: pathText(answer.path, asked, scrubber), result, error, ...asked }
    }
    case 'process_spawn': {
      const { exitCode, durationMs, signal, stdin } = answer
      // First: a variable that is a secret is then known in what the child printed.
      const io = answer.io === undefined ? undefined : scrubber.value(withCleanEnv(answer.io, scrubber), 'received')
      return {
        kind: 'process_spawn',
        program: scrubber.text(answer.program, 'sent'),
        args: scrubber.argv(answer.args),
        cwd: answer.cwd === null ? null : scrubber.text(answer.cwd, 'sent'),
        exitCode,
        durationMs,
        stdoutPayload: payload(answer.stdout),
        stderrPayload: payload(answer.stderr),
        ...(stdin === undefined ? {} : { stdin: payload(stdin, 'sent') }),
        ...(signal === undefined ? {} : { signal }),
        ...(io === undefined ? {} : { io }),
        ...asked,
      }
    }
    default:
      return unreachable(answer)
  }
}

/** The most frequent of all answers. */
function readRecord(
  { path, bytes, text }: Extract<Answer, { readonly type: 'file_read' }>,
  asked: Asked,
  recorder: TapeRecorder,
  scrubber: Scrubber,
): Scrubbed<Kind<'file_read'>> {
  learnFromSettings(path, bytes, scrubber)
  const clean = scrubber.bytes(bytes, 'received')
  // Bytes that the scrubber returns unchanged still have the text that the program was given.
  const payload = recorder.payloadFromBytes(clean, clean === bytes ? text : undefined)
  const named = pathText(path, asked, scrubber)
  const { contentHash } = payload
  const lenBytes = clean.byteLength
  return 'key' in asked
    ? { kind: 'file_read', path: named, contentHash, lenBytes, payload, key: asked.key }
    : { kind: 'file_read', path: named, contentHash, lenBytes, payload, of: asked.of }
}

/** Variables are scrubbed by their names too. */
function withCleanEnv(io: Json, scrubber: Scrubber): Json {
  if (typeof io !== 'object' || io === null || Array.isArray(io)) return io
  const { env } = io as { readonly env?: Json }
  if (typeof env !== 'object' || env === null || Array.isArray(env)) return io
  return { ...io, env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, scrubber.env(name, String(value))])) }
}

export type BytesRead = (kind: Kind<'fs_call'>) => Uint8Array

/** `bytesRead` gives the bytes of a stretch, cut where they were cut when recorded. */
export function answerOf(kind: AnswerKind, payloads: TapePayloads, bytesRead: BytesRead = () => new Uint8Array()): Answer {
  switch (kind.kind) {
    case 'file_read':
      return new RecordedRead(kind, payloads)
    case 'file_write':
      return { type: kind.kind, path: kind.path, bytes: kind.payload === undefined ? new Uint8Array() : payloads(kind.payload) }
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
      }
    default:
      return unreachable(kind)
  }
}

/** Its bytes are only made if someone asks for them. */
class RecordedRead {
  readonly type = 'file_read'
  readonly path: string
  readonly text?: string
  readonly #payload: Payload | undefined
  readonly #payloads: TapePayloads

  constructor({ path, payload }: Kind<'file_read'>, payloads: TapePayloads) {
    this.path = path
    this.#payload = payload
    this.#payloads = payloads
    if (payload?.form === 'inline') this.text = payload.text
  }

  get bytes(): Uint8Array {
    return this.#payload === undefined ? new Uint8Array() : this.#payloads(this.#payload)
  }
}

/** What the program handed over when this was recorded. */
export function sentContent(kind: AnswerKind): Payload | undefined {
  switch (kind.kind) {
    case 'file_write':
      return kind.payload
    case 'process_spawn':
      return kind.stdin
    default:
      return undefined
  }
}

/** Errors are plain data already; this only says so to the compiler. */
export function jsonOf(facts: ErrorFacts): Json {
  return JSON.parse(JSON.stringify(facts))
}
