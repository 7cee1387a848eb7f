/**
 * Codex's session log (`~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`), as version 0.166 writes it.
 *
 * A user message begins a run, `task_complete` or `turn_aborted` ends it. The response items up to the next
 * tool output or usage record are one model call. Codex writes most things twice, as `response_item` and as
 * `event_msg`: the first is taken, the second counted as a repetition.
 */
import { fieldsOf, isObject, listOf, textOf, type UnknownObject } from '../../base/index.ts'
import type { JsonValue, ToolCall } from '../events/fields.ts'
import { failsByItsText, isHarnessText, itemText, usageOfTokens } from './codex-items.ts'
import { createMapBuilder, type ImportedEvent, type LogImporter, type Usage } from './log-importer.ts'
import { modelCallEvents, reasoning } from './model-call.ts'
import { createRunTracker, time } from './run-tracker.ts'

type Response = { texts: string[]; thoughts: string[]; calls: ToolCall[]; at: string | null }

export function createCodexImporter(): LogImporter {
  const map = createMapBuilder()
  const run = createRunTracker()
  const failed = new Set<string>()
  const lastOrdinals = new Set<string>()
  let systemPrompt: string | null = null
  let model = ''
  let response: Response | null = null
  /** A call whose usage comes after its tools' outputs waits here, with what followed it. */
  let held: ImportedEvent[] = []

  const begin = (at: string | null): Response => {
    response ??= { texts: [], thoughts: [], calls: [], at }
    return response
  }

  /** Ends the response under way, if any, and lets go of what was held before it. */
  const flush = (usage: Usage | null): ImportedEvent[] => {
    if (response === null) return []
    const { texts, thoughts, calls, at } = response
    response = null
    const released = held
    run.called(usage)
    held = modelCallEvents({
      turn: run.turn,
      content: texts.join('\n\n'),
      calls,
      ...reasoning(thoughts),
      usage,
      at,
    })
    return released
  }

  const after = (events: readonly ImportedEvent[]): void => void held.push(...events)
  const release = (): ImportedEvent[] => {
    const released = held
    held = []
    return released
  }

  const onItem = (item: UnknownObject, at: string | null): ImportedEvent[] => {
    switch (item.type) {
      case 'reasoning':
        begin(at).thoughts.push(...listOf(item.summary).map(itemText).filter(Boolean))
        return []
      case 'function_call':
      case 'custom_tool_call':
        begin(at).calls.push({
          id: textOf(item.call_id) ?? '',
          name: textOf(item.name) ?? '',
          arguments: (item.arguments ?? item.input ?? '') as JsonValue,
        })
        return []
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const released = flush(null)
        after([toolCompleted(item, at)])
        return released
      }
      default: {
        const text = listOf(item.content).map(itemText).join('\n')
        if (item.role === 'assistant') {
          begin(at).texts.push(text)
          return []
        }
        const released = [...flush(null), ...release()]
        const started = run.start(
          textOf(metadata(item).turn_id) ?? textOf(item.id) ?? '',
          text,
          at,
          systemPrompt,
        )
        systemPrompt = null
        return [...released, ...started]
      }
    }
  }

  const toolCompleted = (item: UnknownObject, at: string | null): ImportedEvent => {
    const callId = textOf(item.call_id) ?? ''
    const output =
      typeof item.output === 'string'
        ? item.output
        : listOf(item.output).map(itemText).join('\n') || JSON.stringify(item.output ?? null)
    const isError = failed.has(callId) || failsByItsText(output)
    return {
      kind: 'tool_completed',
      turn: run.turn,
      results: [{ call_id: callId, output, is_error: isError, is_fatal: false, token_count: null }],
      ...time(at),
    }
  }

  const onEvent = (event: UnknownObject, at: string | null): ImportedEvent[] | null => {
    switch (event.type) {
      case 'item_completed': {
        const item = fieldsOf(event.item)
        if (item.type === 'CommandExecution' && item.status === 'failed' && typeof item.id === 'string')
          failed.add(item.id)
        return null
      }
      case 'token_count':
        if (isObject(event.info) && isObject(event.info.last_token_usage))
          addLateUsage(usageOfTokens(event.info.last_token_usage, model))
        return null
      case 'task_complete':
        return [
          ...flush(null),
          ...release(),
          ...run.finish(at, isObject(event.error) ? 'error' : 'completed'),
        ]
      case 'turn_aborted':
        return [...flush(null), ...release(), ...run.finish(at, 'user_abort')]
      default:
        return null
    }
  }

  const addLateUsage = (usage: Usage): void => {
    const [call, ...rest] = held
    if (
      call?.kind !== 'llm_completed' ||
      call.usage !== undefined ||
      usage.input_tokens + usage.output_tokens === 0
    )
      return
    held = [{ ...call, usage }, ...rest]
  }

  const mapped = (
    record: UnknownObject,
    payload: UnknownObject,
    at: string | null,
  ): ImportedEvent[] | null => {
    switch (record.type) {
      case 'session_meta':
        systemPrompt = isObject(payload.base_instructions)
          ? textOf(payload.base_instructions.text)
          : textOf(payload.instructions)
        return null
      case 'turn_context':
        model = textOf(payload.model) ?? model
        return null
      case 'token_usage_record':
        return flush(isObject(payload.usage) ? usageOfTokens(payload.usage, model) : null)
      case 'compacted': {
        const events: ImportedEvent[] = [
          {
            kind: 'compressed',
            turn: run.turn,
            category: 'mm',
            primitive: 'mm',
            archived_seq_range: [0, Math.max(0, map.emitted + held.length - 1)],
            action: 'auto_compact',
            ...(typeof payload.message === 'string' ? { summary: payload.message } : {}),
            ...time(at),
          },
        ]
        return [...flush(null), ...release(), ...events]
      }
      case 'event_msg':
        return onEvent(payload, at)
      default:
        return isMappedItem(payload) ? onItem(payload, at) : null
    }
  }

  return {
    push(record) {
      const payload = fieldsOf(record.payload)
      const type = `${textOf(record.type) ?? '(no type)'} ${textOf(payload.type) ?? ''}`.trim()
      // A repeated ordinal with the same content is the same record; with other content both are kept.
      const mark = JSON.stringify([record.ordinal, record.timestamp, payload])
      if (lastOrdinals.has(mark)) {
        map.duplicate()
        return []
      }
      lastOrdinals.add(mark)
      if (lastOrdinals.size > 4096) lastOrdinals.delete(lastOrdinals.values().next().value ?? '')
      const events = mapped(record, payload, textOf(record.timestamp))
      const as = becomes(record, payload)
      if (as === null) map.unmapped(type, reasonFor(record, payload))
      else map.kept(payload.type === 'message' ? `${type} (${String(payload.role)})` : type, as)
      return map.emit(events ?? [])
    },
    end: () => map.emit([...flush(null), ...release()]),
    map: map.map,
  }
}

function isMappedItem(item: UnknownObject): boolean {
  if (item.type !== 'message')
    return [
      'reasoning',
      'function_call',
      'custom_tool_call',
      'function_call_output',
      'custom_tool_call_output',
    ].includes(String(item.type))
  return item.role === 'assistant' || (item.role === 'user' && !isHarnessText(item))
}

/**
 * What a record turns into, for the map; its events may come with a later record. Null if it has no place.
 */
function becomes(record: UnknownObject, payload: UnknownObject): readonly string[] | null {
  switch (record.type) {
    case 'session_meta':
      return ['run_started']
    case 'turn_context':
    case 'token_usage_record':
      return ['llm_completed']
    case 'compacted':
      return ['compressed']
    case 'event_msg':
      return payload.type === 'task_complete' || payload.type === 'turn_aborted' ? ['run_terminal'] : null
    default:
      if (!isMappedItem(payload)) return null
      if (payload.type === 'message') return payload.role === 'user' ? ['run_started'] : ['llm_completed']
      if (String(payload.type).endsWith('_output')) return ['tool_completed']
      return payload.type === 'reasoning' ? ['llm_completed'] : ['llm_completed', 'tool_requested']
  }
}

function reasonFor(record: UnknownObject, payload: UnknownObject): string {
  if (record.type === 'event_msg')
    return payload.type === 'item_completed' || payload.type === 'token_count'
      ? 'repeats another record'
      : 'no session event matches it'
  if (record.type === 'response_item' && payload.type === 'message')
    return 'written by the program, not by the user'
  return 'no session event matches it'
}

function metadata(item: UnknownObject): UnknownObject {
  const passed = item.internal_chat_message_metadata_passthrough
  return fieldsOf(passed)
}
