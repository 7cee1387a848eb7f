/** An edit and its record in words, for the report of a what-if. */
import { kindName, type TapeRecord } from '../../tape/index.ts'
import type { Edit } from './edit.ts'

export function editWords(record: TapeRecord, edit: Edit): string {
  return `record ${record.seq} (${nameOf(record)}): ${describeEdit(edit)}`
}

function nameOf({ kind }: TapeRecord): string {
  switch (kind.kind) {
    case 'http_exchange':
      return `${kind.method} ${kind.url}`
    case 'effect_start':
      return kind.key
    case 'llm_call':
      return `llm_call ${kind.model ?? ''}`.trim()
    case 'file_read':
    case 'file_write':
    case 'file_delete':
      return `${kind.kind} ${kind.path}`
    case 'fs_call':
      return `${kind.call} ${kind.path}`
    case 'process_spawn':
      return [kind.program, ...kind.args].join(' ')
    case 'mcp_json_rpc':
      return `mcp ${kind.method}`
    case 'env_read':
      return `env ${kind.name}`
    default:
      return kindName(kind)
  }
}

const MOST_SHOWN = 60

function describeEdit(edit: Edit): string {
  return Object.entries(edit)
    .map(([name, value]) => {
      const text = JSON.stringify(value)
      return `${name} ${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}`
    })
    .join(', ')
}
