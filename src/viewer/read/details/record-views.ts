/** Views of the other kinds: HTTP, process, file, MCP, terminal, stream. */
import { NONE, type RowEntry } from '../../layout/rows.ts'
import type {
  Content,
  FileView,
  HttpView,
  McpView,
  ProcessView,
  StreamView,
  TerminalView,
} from '../../protocol/details.ts'
import { bytesOf, contentOf, errorOrNull, headerLines, textContent, textOfPayload } from '../contents.ts'
import { wholeRequest } from '../llm/whole-request.ts'
import type { TapeIndexReader } from '../tape-index.ts'
import { commandText } from '../titles.ts'
import { isWireObject, listOf, numberOf, objectOf, parsed, shown, textOf, type WireObject } from '../wire.ts'
import { type EffectRow, effectRows, kindOfRow, startOf } from './effect-rows.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_PIECES = 1000

export async function httpView(
  index: TapeIndexReader,
  row: number,
  entry: RowEntry,
  kind: WireObject,
): Promise<HttpView> {
  const start = startOf(row, entry)
  const related = start === null ? [] : (await effectRows(index, start, MAX_PIECES)).rows
  const end = related.find((each) => each.kind === 'stream_end')
  const endKind = end === undefined ? {} : await kindOfRow(index, end.entry)
  return {
    type: 'http',
    method: shown(kind.method),
    url: shown(kind.url),
    status: numberOf(kind.status),
    statusText: shown(kind.status_text),
    httpVersion: textOf(kind.http_version) ?? '1.1',
    requestHeaders: headerLines(kind.request_headers),
    requestBody: (await contentOf(index, kind.request_body)) ?? (await grownBody(index, start)),
    responseHeaders: headerLines(kind.response_headers),
    responseBody: (await contentOf(index, kind.response_body)) ?? (await streamedBody(index, related, 'in')),
    trailers: headerLines(endKind.trailers),
    error: errorOrNull(kind.error) ?? errorOrNull(endKind.error),
    meaningRow: related.find((each) => each.kind === 'llm_call' || each.kind === 'mcp_json_rpc')?.row ?? null,
  }
}

/** The body of a call of a model, which its `effect_start` holds as a difference. */
async function grownBody(index: TapeIndexReader, start: number | null): Promise<Content | null> {
  if (start === null) return null
  const whole = await wholeRequest(index, start, (payload) => textOfPayload(index, payload, MAX_BODY_BYTES))
  return whole === null ? null : textContent(JSON.stringify(whole.body))
}

/** Chunks of a stream put together; the first 4 MiB. */
async function streamedBody(
  index: TapeIndexReader,
  related: readonly EffectRow[],
  direction: 'in' | 'out',
): Promise<Content | null> {
  const parts: Uint8Array[] = []
  let size = 0
  for (const { entry, kind } of related) {
    if ((kind !== 'stream_chunk' && kind !== 'stream_end') || size > MAX_BODY_BYTES) continue
    const record = await kindOfRow(index, entry)
    if (kind === 'stream_chunk' && record.direction !== direction) continue
    const bytes = await bytesOf(index, record.data ?? record.tail, MAX_BODY_BYTES)
    if (bytes === null) continue
    parts.push(bytes)
    size += bytes.length
  }
  return parts.length === 0 ? null : bytesContent(joined(parts, size))
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function bytesContent(bytes: Uint8Array): Content {
  try {
    return { form: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    let binary = ''
    for (const byte of bytes) binary += String.fromCharCode(byte)
    return { form: 'bytes', base64: btoa(binary) }
  }
}

export async function processView(
  index: TapeIndexReader,
  row: number,
  entry: RowEntry,
  kind: WireObject,
): Promise<ProcessView> {
  const start = startOf(row, entry)
  const related = start === null ? [] : (await effectRows(index, start, MAX_PIECES)).rows
  const startKind = related[0] === undefined ? {} : await kindOfRow(index, related[0].entry)
  const summary = await firstOf(index, related, 'process_spawn', kind)
  const exit = await firstOf(index, related, 'process_exit', kind)
  const request = objectOf(startKind.request)
  const output: { atMs: number; stream: string; content: Content }[] = []
  for (const each of related) {
    if (each.kind !== 'stream_chunk') continue
    const chunk = await kindOfRow(index, each.entry)
    const content = await contentOf(index, chunk.data)
    if (content !== null) output.push({ atMs: each.entry.atMs, stream: shown(chunk.stream), content })
  }
  return {
    type: 'process',
    program: textOf(summary.program) ?? textOf(request.program) ?? shown(startKind.key),
    args: listOf(summary.args ?? request.args).map(shown),
    cwd: textOf(summary.cwd) ?? textOf(request.cwd),
    env: Object.entries(objectOf(request.env)).map(([name, value]) => [name, shown(value)] as const),
    pid: numberOf(startKind.pid),
    exitCode: numberOf(summary.exit_code) ?? numberOf(exit.code),
    signal: textOf(summary.signal) ?? textOf(exit.signal),
    stdin: await contentOf(index, summary.stdin),
    stdout: await contentOf(index, summary.stdout_payload),
    stderr: await contentOf(index, summary.stderr_payload),
    output,
  }
}

async function firstOf(
  index: TapeIndexReader,
  related: readonly EffectRow[],
  name: string,
  own: WireObject,
): Promise<WireObject> {
  if (own.kind === name) return own
  const found = related.find(({ kind }) => kind === name)
  return found === undefined ? {} : await kindOfRow(index, found.entry)
}

const ACTIONS: Readonly<Record<string, FileView['action']>> = {
  file_read: 'read',
  file_write: 'write',
  file_delete: 'delete',
  file_state: 'state',
}

export async function fileView(index: TapeIndexReader, entry: RowEntry, kind: WireObject): Promise<FileView> {
  const name = shown(kind.kind)
  const isPart = isAppendedPart(kind)
  return {
    type: 'file',
    action: ACTIONS[name] ?? 'call',
    path: shown(kind.path),
    call: textOf(kind.call),
    content: await contentOf(index, kind.payload ?? kind.data),
    appendedAt: isPart ? numberOf(kind.from) : null,
    previous: entry.previous === NONE || isPart ? null : await previousContent(index, entry.previous),
    mode: numberOf(kind.mode),
    error: errorOrNull(kind.error),
    result:
      kind.result === undefined || kind.result === null ? textOf(kind.target) : JSON.stringify(kind.result),
  }
}

/** Whether the payload of a `file_write` has only what was appended. */
function isAppendedPart({ from, len_bytes: length, payload }: WireObject): boolean {
  const stored = objectOf(payload)
  const text = textOf(stored.text)
  const bytes = text === null ? numberOf(stored.len_bytes) : new TextEncoder().encode(text).byteLength
  return numberOf(from) !== null && bytes !== null && bytes < (numberOf(length) ?? 0)
}

async function previousContent(index: TapeIndexReader, row: number): Promise<FileView['previous']> {
  const entry = await index.row(row)
  if (entry === null) return null
  const kind = await kindOfRow(index, entry)
  if (kind.kind === 'file_delete') return { row, content: textContent('') }
  if (isAppendedPart(kind)) return null
  const content = await contentOf(index, kind.payload)
  return content === null ? null : { row, content }
}

export async function mcpView(index: TapeIndexReader, kind: WireObject): Promise<McpView> {
  const isCall = kind.kind === 'mcp_json_rpc'
  const request = await contentOf(index, isCall ? kind.request_payload : kind.message)
  const response = isCall ? await contentOf(index, kind.response_payload) : null
  const sent = request?.form === 'text' ? objectOf(parsed(request.text)) : {}
  const answer = response?.form === 'text' ? objectOf(parsed(response.text)) : null
  const params = objectOf(sent.params)
  return {
    type: 'mcp',
    server: shown(kind.server),
    method: textOf(kind.method) ?? textOf(sent.method) ?? 'answer',
    name: textOf(params.name) ?? textOf(params.uri),
    direction: isCall ? 'call' : kind.direction === 'out' ? 'out' : 'in',
    request,
    response,
    outcome: answer === null ? null : outcomeOf(answer),
  }
}

function outcomeOf(answer: WireObject): McpView['outcome'] {
  if (answer.error !== undefined) return 'error'
  if (!isWireObject(answer.result)) return null
  return answer.result.isError === true ? 'tool error' : 'result'
}

/** A terminal at the moment of this row: the cassette begins when the effect does. */
export async function terminalView(
  index: TapeIndexReader,
  row: number,
  entry: RowEntry,
  kind: WireObject,
  cassetteItem: (name: string) => string | null,
): Promise<TerminalView> {
  const start = startOf(row, entry)
  const last = start === null ? null : await index.row(start)
  const session = kind.kind === 'terminal_session' ? kind : await sessionOf(index, last)
  const name = textOf(session.cassette)
  return {
    type: 'terminal',
    command: commandText(session),
    exitCode: numberOf(session.exit_code),
    item: name === null || name === '' ? null : cassetteItem(name),
    cassetteMs: last === null ? null : Math.max(0, entry.atMs - last.atMs),
  }
}

/** The record that ends the terminal: the last one of its effect. */
async function sessionOf(index: TapeIndexReader, start: RowEntry | null): Promise<WireObject> {
  const end = start === null || start.effect === NONE ? null : await index.row(start.effect)
  const kind = end === null ? {} : await kindOfRow(index, end)
  return kind.kind === 'terminal_session' ? kind : {}
}

export async function streamView(index: TapeIndexReader, kind: WireObject): Promise<StreamView> {
  return {
    type: 'stream',
    stream: textOf(kind.stream) ?? 'body',
    direction: kind.direction === 'out' ? 'out' : 'in',
    n: numberOf(kind.n),
    content: await contentOf(index, kind.data ?? kind.tail),
    error: errorOrNull(kind.error),
  }
}
