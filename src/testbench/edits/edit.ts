/**
 * An edit of a what-if: what a record delivers instead of what was recorded. Plain data from the command
 * line, from a file, or from the library. `parseEdits` refuses everything that is not exactly an edit.
 *
 * The table `fits` is the contract: which member of an edit fits which kinds of records. The JSON Schema and
 * docs/format/edits.md are checked against it by a test.
 *
 * Decision 0330.
 */
import { isObject, type Json, JsonScanError, parseJson } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { parsePath } from './json-path.ts'

export type Edit = {
  /** Of an HTTP response. */
  readonly status?: number
  /** Response headers to set; null removes one. */
  readonly headers?: { readonly [name: string]: string | null }
  /** Values by JSON path. */
  readonly json?: { readonly [path: string]: Json }
  /** The whole text of the body, of the chunk, of the variable. */
  readonly text?: string
  /** The connection fails with this code. */
  readonly error?: string
  /** The call about a file fails with this code. */
  readonly errno?: string
  /** The content that a file has when it is read. */
  readonly content?: string
  readonly exit?: number
  readonly stdout?: string
  readonly stderr?: string
  /** An MCP call fails with this error. */
  readonly mcpError?: { readonly code: number; readonly message: string; readonly data?: Json }
  /** The bytes end here. */
  readonly cutAfterBytes?: number
  /** It comes this much later. */
  readonly delayMs?: number
}

export type RecordEdit = { readonly seq: number; readonly edit: Edit }
export type EditName = keyof Edit

/** A response by the network: named by its `http_exchange`, its `llm_call` or its `effect_start`. */
const RESPONSES = ['http_exchange', 'llm_call'] as const
const SUBPROCESSES = ['process_spawn', 'process_exit'] as const
/** One record of a connection. */
const MESSAGES = ['ws_message', 'http2_frame', 'server_request'] as const
const FILES = ['file_read', 'file_write', 'file_delete', 'fs_call'] as const

/** The kinds of records that each member of an edit fits. */
export const fits: { readonly [name in EditName]: readonly string[] } = {
  status: [...RESPONSES, 'http2_frame'],
  headers: [...RESPONSES, 'http2_frame', 'server_request'],
  json: [...RESPONSES, 'mcp_json_rpc', 'ws_message'],
  text: [...RESPONSES, 'stream_chunk', ...MESSAGES, 'env_read'],
  error: [...RESPONSES, 'stream_chunk', 'stream_end'],
  errno: FILES,
  content: ['file_read'],
  exit: SUBPROCESSES,
  stdout: SUBPROCESSES,
  stderr: SUBPROCESSES,
  mcpError: ['mcp_json_rpc'],
  cutAfterBytes: [...RESPONSES, 'stream_chunk', 'file_read', 'process_spawn'],
  delayMs: [
    ...RESPONSES,
    'stream_chunk',
    'stream_end',
    'mcp_json_rpc',
    ...MESSAGES,
    'process_exit',
    'timer_fire',
    'clock_sleep',
    ...FILES,
  ],
}

/** Members that decide the whole outcome: nothing else can be edited with them but the delay. */
const WHOLE: readonly EditName[] = ['error', 'errno', 'mcpError']

/** A timer of Node waits no longer. */
const MAX_DELAY_MS = 2 ** 31 - 1

type Check = (value: unknown) => string | null

const isText: Check = (value) => (typeof value === 'string' ? null : 'a text')
const isCount = (most: number): Check => {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most
      ? null
      : `a whole number from 0 to ${most}`
}

const CHECKS: { readonly [name in EditName]: Check } = {
  status: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599
      ? null
      : 'a status from 200 to 599',
  headers: (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([name, text]) =>
        /^[!#$%&'*+.^`|~\w-]+$/.test(name) &&
        (text === null || (typeof text === 'string' && !/[\r\n\0]/.test(text))),
    )
      ? null
      : 'an object of header names, each with a text of one line or null',
  json: (value) =>
    isObject(value) &&
    Object.keys(value).length > 0 &&
    Object.keys(value).every((path) => parsePath(path) !== null)
      ? null
      : 'an object of JSON paths as $.choices[0].message.content, each with a value',
  text: isText,
  error: (value) => (isCode(value) ? null : 'the code of an error, as "ECONNRESET"'),
  errno: (value) => (isCode(value) ? null : 'the code of an error, as "ENOENT"'),
  content: isText,
  exit: isCount(255),
  stdout: isText,
  stderr: isText,
  mcpError: (value) =>
    isObject(value) &&
    typeof value.code === 'number' &&
    Number.isInteger(value.code) &&
    typeof value.message === 'string' &&
    Object.keys(value).every((name) => name === 'code' || name === 'message' || name === 'data')
      ? null
      : 'an object with code, message and perhaps data',
  cutAfterBytes: isCount(Number.MAX_SAFE_INTEGER),
  delayMs: isCount(MAX_DELAY_MS),
}

function isCode(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(value)
}

/** Of one `--set`: `12={"status":500}`. */
export function parseSet(text: string): RecordEdit {
  const found = /^(\d{1,15})=([\s\S]+)$/.exec(text)
  if (found === null) throw wrong(`--set takes SEQ=EDIT, not ${JSON.stringify(shortened(text))}`)
  return { seq: Number(found[1]), edit: checkedEdit(jsonOf(found[2] ?? '', '--set'), Number(found[1])) }
}

/** Of a file with edits: an array of `{ "seq": 12, "edit": { … } }`. */
export function parseEdits(text: string, name: string): readonly RecordEdit[] {
  return checkedEdits(jsonOf(text, name), name)
}

/** Throws a usage error unless the value is a list of edits; `name` is its place in the error. */
export function checkedEdits(value: unknown, name: string): readonly RecordEdit[] {
  if (!Array.isArray(value)) throw wrong(`${name} holds no list of edits`)
  return value.map((item: unknown) => {
    const isItem = isObject(item) && Object.keys(item).every((key) => key === 'seq' || key === 'edit')
    if (!isItem || typeof item.seq !== 'number' || !Number.isSafeInteger(item.seq) || item.seq < 0)
      throw wrong(`${name}: an item of the list is {"seq":12,"edit":{…}}`)
    return { seq: item.seq, edit: checkedEdit(item.edit, item.seq) }
  })
}

function checkedEdit(value: unknown, seq: number): Edit {
  if (!isObject(value) || Object.keys(value).length === 0)
    throw wrong(`the edit of record ${seq} is no object with at least one member`)
  for (const [name, given] of Object.entries(value)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as EditName] : undefined
    if (check === undefined)
      throw wrong(`the edit of record ${seq} has an unknown member ${JSON.stringify(shortened(name))}`)
    const wanted = check(given)
    if (wanted !== null) throw wrong(`the edit of record ${seq}: ${name} is ${wanted}`)
  }
  const whole = WHOLE.find((name) => Object.hasOwn(value, name))
  const others = Object.keys(value).filter((name) => name !== whole && name !== 'delayMs')
  if (whole !== undefined && others.length > 0)
    throw wrong(
      `the edit of record ${seq}: with ${whole} there is nothing for ${others.join(', ')} to change`,
    )
  if (Object.hasOwn(value, 'text') && Object.hasOwn(value, 'json'))
    throw wrong(`the edit of record ${seq}: text and json exclude each other`)
  // Every member was checked above.
  return value as Edit
}

function jsonOf(text: string, name: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    const why = cause instanceof JsonScanError ? cause.message : 'not JSON'
    throw new RepriseError('usage', `${name}: ${why}: ${shortened(text)}`, { hint: HINT, cause })
  }
}

export function wrong(message: string): RepriseError {
  return new RepriseError('usage', message, { hint: HINT })
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const HINT = 'see docs/format/edits.md'
