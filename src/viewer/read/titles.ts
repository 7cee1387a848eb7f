/**
 * One line of text per row, made of the line of the tape. Plain text: the caller escapes it for where
 * it is shown.
 */
import { inlineText, listOf, numberOf, objectOf, parsed, shown, textOf, type WireObject } from './wire.ts'

const MAX_TITLE = 200

export function titleOf(kind: WireObject): string {
  return cut(sentence(textOf(kind.kind) ?? 'unknown', kind))
}

function cut(text: string, most = MAX_TITLE): string {
  const line = text.length > 4 * most ? text.slice(0, 4 * most) : text
  const flat = line.replace(/\s+/g, ' ').trim()
  return flat.length <= most ? flat : `${flat.slice(0, most - 1)}…`
}

function sentence(name: string, kind: WireObject): string {
  const text = (member: string): string => shown(kind[member])
  switch (name) {
    case 'clock_read':
      return `${text('api') || text('source')} = ${text('value') || text('value_ms')}`
    case 'clock_sleep':
      return `slept ${text('duration_ms')} ms`
    case 'timer_fire':
      return `timer ${text('id')} fired`
    case 'llm_call':
      return llmTitle(kind)
    case 'decision_evaluation':
      return `decision: ${payloadText(kind.response)}`
    case 'model_job':
      return `job ${text('job_id')} ${text('state')}`
    case 'mcp_json_rpc':
      return mcpTitle(kind)
    case 'mcp_message':
      return `${text('server')} ${kind.direction === 'out' ? '←' : '→'} ${messageTitle(kind.message)}`
    case 'http_exchange': {
      const outcome = kind.error === undefined ? text('status') : `failed: ${errorText(kind.error)}`
      return `${text('method')} ${text('url')} ${outcome}`
    }
    case 'file_read':
      return `read ${text('path')} (${bytes(kind.len_bytes)})`
    case 'file_write':
      return `wrote ${text('path')} (${bytes(kind.len_bytes)})`
    case 'file_delete':
      return `deleted ${text('path')}`
    case 'file_state':
      return `${text('path')} ${kind.when === 'before' ? 'was' : 'is'} ${text('state')}`
    case 'fs_call':
      return `${text('call')} ${text('path')}${kind.error == null ? '' : ` failed: ${errorText(kind.error)}`}`
    case 'process_spawn': {
      const end = textOf(kind.signal) === null ? `exit ${text('exit_code')}` : text('signal')
      return `${commandText(kind)} ${end}`
    }
    case 'server_request':
      return `request ${text('method')} ${text('target')}`
    case 'server_answer':
      return `answer ${text('status')} ${text('status_text')}${kind.ended === undefined ? '' : ', cut off'}`
    case 'process_exit':
      return `process ended: ${textOf(kind.signal) ?? `exit ${text('code')}`}`
    case 'terminal_session':
      return `terminal: ${commandText(kind)} ${kind.exit_code == null ? 'not ended' : `exit ${text('exit_code')}`}`
    case 'terminal_output':
      return `terminal output (${bytes(kind.len_bytes)})`
    case 'effect_start':
      return text('key')
    case 'ws_message':
      return `${text('message')} ${kind.direction === 'out' ? 'sent' : 'received'}: ${text('code')}${chunkText(kind.data)}`
    case 'http2_frame':
      return http2Title(kind)
    case 'stream_chunk':
      return `${text('stream') || 'body'} ${kind.direction === 'out' ? 'sent' : 'received'}: ${chunkText(kind.data)}`
    case 'stream_end':
      return `${text('stream') || 'body'} ended${kind.error == null ? '' : `: ${errorText(kind.error)}`}`
    case 'completion':
      return `done${text('api') === '' ? '' : `: ${text('api')}`}`
    case 'random_read':
      return `${text('api')} = ${chunkText(kind.data)}`
    case 'env_read':
      return `${text('name')}${kind.value == null ? ' is not set' : ` = ${text('value')}`}`
    case 'stdin_read':
      return `stdin: ${chunkText(kind.data)}`
    case 'gap':
      return `gap in ${text('boundary')}: ${text('reason')}`
    case 'note':
      return `note on ${text('boundary')}: ${text('reason')}`
    case 'tape_seal':
      return `seal: ${text('records')} records, exit ${shown(objectOf(kind.exit).code)}`
    default:
      return `${name} ${Object.entries(kind)
        .filter(([member]) => member !== 'kind')
        .map(([member, value]) => `${member}=${shown(value)}`)
        .join(' ')
        .slice(0, MAX_TITLE)}`
  }
}

/** `headers sent on stream 3: POST /v1/chat`, `data received on stream 3: …`, `goaway received: code 0`. */
function http2Title(kind: WireObject): string {
  const value = (name: string): string | null => headerValue(kind.headers, name)
  const where = kind.stream === undefined ? '' : ` on stream ${shown(kind.stream)}`
  const head =
    value(':status') ?? [value(':method'), value(':path')].filter((part) => part !== null).join(' ')
  const code = kind.code === undefined ? '' : `code ${shown(kind.code)}`
  const content = [head, code, kind.data === undefined ? '' : chunkText(kind.data)].filter(
    (part) => part !== '',
  )
  const end = kind.flag === 'stream' ? ', ends' : ''
  const text = content.length === 0 ? '' : `: ${content.join(' ')}`
  return `${textOf(kind.frame) ?? 'frame'} ${kind.direction === 'out' ? 'sent' : 'received'}${where}${text}${end}`
}

function headerValue(headers: unknown, name: string): string | null {
  if (!Array.isArray(headers)) return null
  const pair: unknown = headers.find((each: unknown) => Array.isArray(each) && each[0] === name)
  return Array.isArray(pair) ? textOf(pair[1]) : null
}

function llmTitle(kind: WireObject): string {
  const answer = objectOf(parsed(payloadText(kind.response)))
  const tools = listOf(answer.tool_calls).map((call) => textOf(objectOf(call).name) ?? '?')
  const model = textOf(kind.model) ?? textOf(answer.model) ?? 'model'
  if (kind.error !== undefined) return `${model} failed: ${errorText(kind.error)}`
  const answerText = textOf(answer.text) ?? ''
  const calls = tools.length === 0 ? '' : ` → ${tools.join(', ')}`
  return `${model}${calls}${answerText === '' ? '' : `: ${answerText}`}`
}

function mcpTitle(kind: WireObject): string {
  const params = objectOf(objectOf(parsed(payloadText(kind.request_payload))).params)
  const name = textOf(params.name) ?? textOf(params.uri)
  const answer = objectOf(parsed(payloadText(kind.response_payload)))
  const failed = answer.error !== undefined || objectOf(answer.result).isError === true
  return `${shown(kind.server)} ${shown(kind.method)}${name === null ? '' : ` ${name}`}${failed ? ' failed' : ''}`
}

function messageTitle(payload: unknown): string {
  const message = objectOf(parsed(payloadText(payload)))
  return textOf(message.method) ?? `answer ${shown(message.id)}`
}

/** Text of a payload in the line; empty if it is stored elsewhere. */
function payloadText(payload: unknown): string {
  return textOf(objectOf(payload).text) ?? ''
}

export function commandText(kind: WireObject): string {
  return [shown(kind.program), ...listOf(kind.args).map(shown)].join(' ')
}

function errorText(error: unknown): string {
  const { message, detail, code, type } = objectOf(error)
  return textOf(message) ?? textOf(detail) ?? textOf(code) ?? textOf(type) ?? shown(error)
}

function chunkText(chunk: unknown): string {
  const { base64, len_bytes } = objectOf(chunk)
  const text = inlineText(chunk)
  if (text !== null) return JSON.stringify(text.slice(0, 100))
  if (typeof base64 === 'string') return bytes(Math.floor((base64.length * 3) / 4))
  return bytes(len_bytes)
}

function bytes(count: unknown): string {
  const number = numberOf(count)
  return number === null ? '? bytes' : `${number} ${number === 1 ? 'byte' : 'bytes'}`
}
