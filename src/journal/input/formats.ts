/** Detects the kind of a log file from its first complete records. */

import { isObject, listOf, type UnknownObject } from '../../base/index.ts'
import { looksLikeEntry } from '../file/entry-line.ts'

export type ForeignFormat = 'claude-code' | 'codex' | 'openai-agents' | 'tape'
export type InputFormat = 'journal' | 'events' | ForeignFormat

export const foreignFormats: readonly ForeignFormat[] = ['claude-code', 'codex', 'openai-agents', 'tape']

export function formatOf(value: unknown): InputFormat | null {
  if (!isObject(value)) return null
  if (looksLikeEntry(value) || ('seq' in value && 'event' in value)) return 'journal'
  if (isTapeHeader(value)) return 'tape'
  if (isCodexRecord(value)) return 'codex'
  if (isOpenAiTrace(value)) return 'openai-agents'
  if (isClaudeRecord(value)) return 'claude-code'
  return typeof value.kind === 'string' ? 'events' : null
}

const CODEX_TYPES: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
])

function isCodexRecord(value: UnknownObject): boolean {
  return (
    typeof value.timestamp === 'string' &&
    typeof value.type === 'string' &&
    (CODEX_TYPES.has(value.type) || isObject(value.payload))
  )
}

function isClaudeRecord(value: UnknownObject): boolean {
  return (
    typeof value.type === 'string' &&
    ('sessionId' in value ||
      'leafUuid' in value ||
      ('uuid' in value && 'message' in value) ||
      'messageId' in value)
  )
}

function isOpenAiTrace(value: UnknownObject): boolean {
  if (value.object === 'trace' || value.object === 'trace.span') return true
  const items = listOf(value.data)
  return (
    items.length > 0 &&
    items.every((item) => isObject(item) && (item.object === 'trace' || item.object === 'trace.span'))
  )
}

function isTapeHeader(value: UnknownObject): boolean {
  return typeof value.version === 'number' && ('harn_version' in value || value.type === 'header')
}
