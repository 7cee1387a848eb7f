/**
 * The shapes in which other SDKs and later versions write the known kinds, brought into the one shape that is
 * decoded and written here.
 *
 * Node and Python: flat `llm_completed` and `memory_retrieval_result`, tool arguments as a JSON string,
 * `is_error` and `state` left out. Later versions: `record_id`, `scope` and `query` on memory events,
 * `parent_task_id` of a process, `hits` of a retrieval, `content` blocks in tool results. Keys in camelCase
 * are taken where the snake_case key is missing. What has no place in the target shape is kept as an
 * extra field.
 */
import { isObject, listOf, parseJson, textOf, type UnknownObject } from '../../base/index.ts'
import { type EventKind, eventKinds } from './kinds.ts'

export function toRustShape(kind: EventKind, source: UnknownObject): UnknownObject {
  const event = withSnakeCase(kind, source)
  switch (kind) {
    case 'llm_completed':
      return llmCompleted(event)
    case 'tool_requested':
      return Array.isArray(event.calls) ? { ...event, calls: event.calls.map(toolCall) } : event
    case 'tool_completed':
      return Array.isArray(event.results) ? { ...event, results: event.results.map(toolResult) } : event
    case 'agent_process_changed':
      return processChanged(event)
    case 'memory_retrieval_result':
      return retrieval(event)
    case 'memory_written':
    case 'memory_validation_failed':
      return event.memory_id === undefined && typeof event.record_id === 'string'
        ? { ...event, memory_id: event.record_id }
        : event
    case 'memory_queried':
      return event.query_context === undefined && typeof event.query === 'string'
        ? { ...event, query_context: event.query }
        : event
    default:
      return event
  }
}

const camelNames = new Map<EventKind, readonly (readonly [camel: string, snake: string])[]>(
  (Object.keys(eventKinds) as EventKind[]).map((kind) => {
    const names = Object.keys(eventKinds[kind]).concat(
      kind === 'llm_completed' ? ['tool_calls', 'token_count'] : [],
    )
    return [kind, names.filter((name) => name.includes('_')).map((name) => [camelCase(name), name] as const)]
  }),
)

function withSnakeCase(kind: EventKind, source: UnknownObject): UnknownObject {
  let renamed: Record<string, unknown> | null = null
  for (const [camel, snake] of camelNames.get(kind) ?? []) {
    if (source[camel] === undefined || source[snake] !== undefined) continue
    renamed ??= { ...source }
    renamed[snake] = source[camel]
    delete renamed[camel]
  }
  return renamed ?? source
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

function processChanged(event: UnknownObject): UnknownObject {
  const hasState = event.state !== undefined && event.state !== null && event.state !== ''
  const parent =
    event.parent_session_id === undefined && typeof event.parent_task_id === 'string'
      ? event.parent_task_id
      : undefined
  if (hasState && parent === undefined) return event
  return {
    ...event,
    ...(hasState ? {} : { state: 'running' }),
    ...(parent === undefined ? {} : { parent_session_id: parent }),
  }
}

function llmCompleted(event: UnknownObject): UnknownObject {
  if (event.message === undefined && (event.content !== undefined || event.tool_calls !== undefined)) {
    const { content, tool_calls, token_count, ...rest } = event
    const message = {
      role: 'assistant',
      content: content ?? '',
      tool_calls: listOf(tool_calls).map(toolCall),
      token_count: token_count ?? undefined,
    }
    return { ...rest, message }
  }
  const { message } = event
  if (!isObject(message) || !Array.isArray(message.tool_calls)) return event
  return { ...event, message: { ...message, tool_calls: message.tool_calls.map(toolCall) } }
}

/**
 * Arguments that are the JSON text of an object become that object, unless a number in them would lose its
 * spelling on the way.
 */
function toolCall(call: unknown): unknown {
  if (!isObject(call) || typeof call.arguments !== 'string' || !call.arguments.trimStart().startsWith('{'))
    return call
  if (/-0|\d{16}|\d\.\d|\d[eE]/.test(call.arguments)) return call
  try {
    const parsed: unknown = parseJson(call.arguments)
    return isObject(parsed) ? { ...call, arguments: parsed } : call
  } catch {
    // Not JSON after all: a model wrote it. The text is what the call had.
    return call
  }
}

function toolResult(result: unknown): unknown {
  if (!isObject(result)) return result
  const shaped = { ...result }
  if (shaped.call_id === undefined && typeof shaped.callId === 'string') {
    shaped.call_id = shaped.callId
    delete shaped.callId
  }
  if (shaped.is_error === undefined) {
    shaped.is_error = shaped.isError ?? false
    delete shaped.isError
  }
  if (shaped.output === undefined && Array.isArray(shaped.content)) {
    shaped.output = shaped.content
    delete shaped.content
  }
  return shaped
}

function retrieval(event: UnknownObject): UnknownObject {
  if (isObject(event.retrieval)) return { ...event, retrieval: withHits(event.retrieval) }
  if (event.retrieval !== undefined) return event
  const { selected_memory_ids, selectedMemoryIds, selection_rationale, selectionRationale, hits, ...rest } =
    event
  const flat: UnknownObject = {
    selected_memory_ids: selected_memory_ids ?? selectedMemoryIds,
    selection_rationale: selection_rationale ?? selectionRationale,
    ...(hits === undefined ? {} : { hits }),
  }
  if (flat.selected_memory_ids === undefined && hits === undefined) return event
  return { ...rest, retrieval: withHits(flat) }
}

function withHits(value: UnknownObject): UnknownObject {
  if (!Array.isArray(value.hits)) return value
  const ids = value.hits.map((hit: unknown) =>
    isObject(hit) ? (textOf(hit.record_id) ?? textOf(hit.memory_id) ?? textOf(hit.id) ?? '') : String(hit),
  )
  return {
    ...value,
    selected_memory_ids: value.selected_memory_ids ?? ids,
    selection_rationale: value.selection_rationale ?? '',
  }
}
