/** A record in a few words: what a person needs to find it again. */
import { kindName, type RecordKind } from '../tape/kinds.ts'
import { clockCall } from './clock-reads.ts'
import { cut } from './spelling.ts'

const MAX_SUMMARY_CHARS = 160

/**
 * What the record is about: the path, the address, the program. Two records of one kind and one subject are
 * likely the same place of two runs.
 */
export function subjectOf(kind: RecordKind): string {
  switch (kind.kind) {
    case 'clock_read':
      return kind.api ?? kind.source
    case 'llm_call':
      return kind.provider === undefined && kind.model === undefined
        ? ''
        : `${kind.provider ?? '?'} ${kind.model ?? '?'}`
    case 'file_read':
    case 'file_write':
    case 'file_delete':
      return JSON.stringify(kind.path)
    case 'process_spawn':
    case 'terminal_session':
      return [kind.program, ...kind.args].join(' ')
    case 'mcp_json_rpc':
      return `${kind.server} ${kind.method}`
    case 'model_job':
      return `${kind.backend} ${kind.eventKind}`
    case 'effect_start':
      return `${kind.boundary} ${kind.key}`
    case 'http_exchange':
      return `${kind.method} ${kind.url}`
    case 'server_request':
      return `${kind.method} ${kind.target}`
    case 'server_answer':
      return String(kind.status)
    case 'ws_message':
      return `${kind.message} ${kind.direction} ${kind.n}`
    case 'http2_frame':
      return `${kind.frame} ${kind.direction}${kind.stream === undefined ? '' : ` stream ${kind.stream}`}`
    case 'stream_chunk':
      return `${kind.stream === undefined ? '' : `${kind.stream} `}${kind.direction} ${kind.n}`
    case 'process_exit':
      return kind.signal ?? String(kind.code)
    case 'terminal_output':
      return String(kind.n)
    case 'random_read':
      return kind.api
    case 'env_read':
      return kind.name
    case 'fs_call':
      return `${kind.call} ${JSON.stringify(kind.path)}`
    case 'file_state':
      return `${kind.when} ${JSON.stringify(kind.path)}`
    case 'mcp_message':
      return `${kind.server} ${kind.direction}`
    case 'gap':
    case 'note':
      return kind.boundary
    case 'divergence':
      return kind.category
    case 'clock_sleep':
    case 'decision_evaluation':
    case 'timer_fire':
    case 'completion':
    case 'stdin_read':
    case 'stream_end':
    case 'tape_seal':
    case 'unknown':
      return ''
  }
}

export function summarise(kind: RecordKind): string {
  const isNamed = kind.kind === 'clock_read' && kind.api !== undefined
  const subject = isNamed ? clockCall(kind.api) : subjectOf(kind)
  const words =
    kind.kind === 'http_exchange' ? subject : `${kindName(kind)}${subject === '' ? '' : ` ${subject}`}`
  return cut(words, MAX_SUMMARY_CHARS)
}
