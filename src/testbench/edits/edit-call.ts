/** Edits of calls with one answer: about files, of subprocesses that are run to their end, of variables. */
import { contentHash, fieldsOf, type Json, textOrNull, utf8 } from '../../base/index.ts'
import type { Kind, Payload, RecordKind } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { type Edit, wrong } from './edit.ts'
import { fileError, isSystemCode } from './error-facts.ts'

type FileKind = Kind<'file_read' | 'file_write' | 'file_delete' | 'fs_call'>

/** `call` is the name of the function that the program called. */
export function editFile(
  kind: FileKind,
  edit: Edit,
  seq: number,
  call: Kind<'fs_call'>['call'],
  payloads: TapePayloads,
): RecordKind {
  if (edit.errno !== undefined) return failedCall(kind, edit.errno, seq, call)
  if (kind.kind !== 'file_read') return kind
  const content = edit.content === undefined ? null : utf8(edit.content)
  const bytes = content ?? (kind.payload === undefined ? new Uint8Array() : payloads(kind.payload))
  const cut = edit.cutAfterBytes === undefined ? bytes : bytes.subarray(0, edit.cutAfterBytes)
  const payload = textPayload(cut, seq)
  return { ...kind, contentHash: payload.contentHash, lenBytes: cut.byteLength, payload }
}

function failedCall(kind: FileKind, code: string, seq: number, call: Kind<'fs_call'>['call']): RecordKind {
  if (!isSystemCode(code)) throw wrong(`record ${seq}: errno ${code} is not a system error code`)
  const asked = {
    ...(kind.of === undefined ? {} : { of: kind.of }),
    ...(kind.key === undefined ? {} : { key: kind.key }),
  }
  // `existsSync` never fails.
  if (call === 'exists')
    return { kind: 'fs_call', call, path: kind.path, result: false, error: null, ...asked }
  const error = fileError(code, SYSCALLS[call] ?? call, !BY_DESCRIPTOR.has(call))
  return { kind: 'fs_call', call, path: kind.path, result: null, error, ...asked }
}

/** The functions of the system whose name is not that of Node's. */
const SYSCALLS: { readonly [call: string]: string } = {
  readFile: 'open',
  writeFile: 'open',
  appendFile: 'open',
  readdir: 'scandir',
  opendir: 'opendir',
  truncate: 'open',
  copyFile: 'copyfile',
  utimes: 'utime',
  rm: 'rm',
}

const BY_DESCRIPTOR: ReadonlySet<string> = new Set([
  'close',
  'read',
  'readv',
  'write',
  'writev',
  'fstat',
  'fsync',
  'fdatasync',
  'ftruncate',
  'fchmod',
  'fchown',
  'futimes',
])

/** A subprocess that was run to its end in one call. */
export function editSpawn(
  kind: Kind<'process_spawn'>,
  edit: Edit,
  seq: number,
  payloads: TapePayloads,
): RecordKind {
  const { signal, ...rest } = kind
  const stdout = edit.stdout === undefined ? payloads(kind.stdoutPayload) : utf8(edit.stdout)
  const cut = edit.cutAfterBytes === undefined ? stdout : stdout.subarray(0, edit.cutAfterBytes)
  const isOut = edit.stdout !== undefined || edit.cutAfterBytes !== undefined
  return {
    ...rest,
    ...(signal === undefined || edit.exit !== undefined ? {} : { signal }),
    exitCode: edit.exit ?? kind.exitCode,
    ...(edit.exit === undefined ? {} : { io: withStatus(kind.io, edit.exit) }),
    stdoutPayload: isOut ? textPayload(cut, seq) : kind.stdoutPayload,
    stderrPayload: edit.stderr === undefined ? kind.stderrPayload : textPayload(utf8(edit.stderr), seq),
  }
}

/** Node's own answer has the status once more; a child that ended has no error of its start. */
function withStatus(io: Json | undefined, status: number): Json {
  const { errno: _, ...rest } = fieldsOf(io ?? null)
  return { ...rest, status }
}

/** A record in memory: the payload is in it, however long it is. */
function textPayload(bytes: Uint8Array, seq: number): Payload {
  const text = textOrNull(bytes)
  if (text === null)
    throw wrong(`record ${seq}: cutAfterBytes leaves no text: it cuts a character, or the content is binary`)
  return { form: 'inline', contentHash: contentHash(bytes), text }
}
