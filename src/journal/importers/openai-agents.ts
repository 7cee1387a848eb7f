/**
 * Traces of the OpenAI Agents SDK: the objects that its exporters write (`trace`, `trace.span`), one per
 * line or in a `data` list, as version 0.20 of the JavaScript SDK writes them.
 *
 * Spans are exported when they end, children before parents, so all are gathered and put in the order in
 * which they began. A trace is a run, an agent span a process, a generation or response span a model call, a
 * function span a tool call with its result. Response spans carry no text: the message is then empty and
 * `provider_replay` names the response.
 */
import { isObject, listOf, numberOf, textOf, type UnknownObject } from '../../base/index.ts'
import type { JsonValue, ToolCall } from '../events/fields.ts'
import { createMapBuilder, type ImportedEvent, type LogImporter, type Usage } from './log-importer.ts'
import { llmCompleted } from './model-call.ts'
import { time } from './run-tracker.ts'

/**
 * An event at a moment; `order` breaks ties so that what begins comes before what it holds, and what ends
 * after.
 */
type Timed = { readonly at: string; readonly order: number; readonly event: ImportedEvent }
type TraceState = {
  readonly id: string
  readonly name: string
  spans: UnknownObject[]
  calls: number
  tokens: number
  failed: boolean
}

export function createOpenAiAgentsImporter(): LogImporter {
  const map = createMapBuilder()
  const traces = new Map<string, TraceState>()
  const seen = new Set<string>()
  const traceOf = (id: string, name: string): TraceState => {
    const known = traces.get(id)
    if (known !== undefined && (known.name !== '' || name === '')) return known
    const trace: TraceState = { id, name, spans: known?.spans ?? [], calls: 0, tokens: 0, failed: false }
    traces.set(id, trace)
    return trace
  }
  const take = (record: UnknownObject): void => {
    const id = textOf(record.id) ?? ''
    if (seen.has(id)) {
      map.duplicate()
      return
    }
    seen.add(id)
    if (record.object === 'trace') {
      traceOf(id, textOf(record.workflow_name) ?? '')
      map.kept('trace', ['run_started', 'run_terminal'])
      return
    }
    const type = `span ${textOf(spanData(record).type) ?? ''}`.trim()
    const kinds = KINDS_OF_SPAN[type]
    // Turn and task spans repeat the spans inside them, but only they have the usage of a response span.
    if (kinds === undefined)
      map.unmapped(
        type,
        type === 'span custom' ? 'repeats the spans inside it' : 'no session event matches it',
      )
    else map.kept(type, kinds)
    traceOf(textOf(record.trace_id) ?? '', '').spans.push(record)
  }
  return {
    push(record) {
      for (const item of Array.isArray(record.data) ? record.data : [record]) if (isObject(item)) take(item)
      return []
    },
    end: () => map.emit([...traces.values()].flatMap(eventsOfTrace)),
    map: map.map,
  }
}

const KINDS_OF_SPAN: Readonly<Record<string, readonly string[]>> = {
  'span agent': ['agent_process_changed'],
  'span generation': ['llm_completed'],
  'span response': ['llm_completed'],
  'span function': ['tool_requested', 'tool_completed'],
}

function eventsOfTrace(trace: TraceState): ImportedEvent[] {
  const spans = trace.spans.toSorted((a, b) =>
    compare(textOf(a.started_at) ?? '', textOf(b.started_at) ?? ''),
  )
  const byId = new Map(spans.map((span) => [textOf(span.id) ?? '', span]))
  const timed = spans.flatMap((span, index) => eventsOfSpan(trace, span, index, byId))
  timed.sort((a, b) => compare(a.at, b.at) || a.order - b.order)
  const began = textOf(spans[0]?.started_at)
  const ended = spans.reduce<string | null>(
    (latest, span) =>
      compare(textOf(span.ended_at) ?? '', latest ?? '') > 0 ? textOf(span.ended_at) : latest,
    null,
  )
  const name = trace.name || '(trace record not in the log)'
  return [
    {
      kind: 'run_started',
      run_id: trace.id,
      goal: name,
      criteria: [],
      agent_id: null,
      system_prompt: null,
      ...time(began),
    },
    ...timed.map(({ event }) => event),
    {
      kind: 'run_terminal',
      reason: trace.failed ? 'error' : 'completed',
      turns_used: trace.calls,
      total_tokens: trace.tokens,
      ...time(ended),
    },
  ]
}

function eventsOfSpan(
  trace: TraceState,
  span: UnknownObject,
  index: number,
  byId: ReadonlyMap<string, UnknownObject>,
): Timed[] {
  const data = spanData(span)
  const began = textOf(span.started_at) ?? ''
  const ended = textOf(span.ended_at) ?? began
  const id = textOf(span.id) ?? ''
  const failed = isObject(span.error)
  switch (data.type) {
    case 'agent': {
      if (failed) trace.failed = true
      const parent = nearestAgent(span, byId) ?? trace.id
      const change = (state: string, at: string): ImportedEvent => ({
        kind: 'agent_process_changed',
        turn: 0,
        category: 'proc',
        primitive: 'sched',
        agent_id: id,
        parent_session_id: parent,
        role: textOf(data.name) ?? 'agent',
        isolation: 'shared',
        context_inheritance: 'none',
        state,
        ...(state === 'running' ? {} : { result_termination: failed ? 'error' : 'completed' }),
        ...time(at),
      })
      return [
        { at: began, order: index, event: change('running', began) },
        { at: ended, order: 1_000_000 - index, event: change(failed ? 'failed' : 'joined', ended) },
      ]
    }
    case 'generation':
    case 'response': {
      const turn = trace.calls
      trace.calls += 1
      const usage = usageOf(data, byId.get(textOf(span.parent_id) ?? ''))
      trace.tokens += usage.input_tokens + usage.output_tokens
      const { content, calls } = outputOf(data)
      const responseId = textOf(data.response_id)
      const replay = responseId === null ? {} : { replay: { response_id: responseId } }
      const event = llmCompleted({ turn, content, calls, ...replay, usage, at: ended })
      return [{ at: ended, order: index, event }]
    }
    case 'function': {
      const turn = Math.max(0, trace.calls - 1)
      const call: ToolCall = { id, name: textOf(data.name) ?? '', arguments: (data.input ?? {}) as JsonValue }
      const output = typeof data.output === 'string' ? data.output : JSON.stringify(data.output ?? '')
      const result = { call_id: id, output, is_error: failed, is_fatal: false, token_count: null }
      return [
        { at: began, order: index, event: { kind: 'tool_requested', turn, calls: [call], ...time(began) } },
        {
          at: ended,
          order: index + 0.5,
          event: { kind: 'tool_completed', turn, results: [result], ...time(ended) },
        },
      ]
    }
    default:
      return []
  }
}

function nearestAgent(span: UnknownObject, byId: ReadonlyMap<string, UnknownObject>): string | null {
  let above = byId.get(textOf(span.parent_id) ?? '')
  for (let steps = 0; above !== undefined && steps < 100; steps += 1) {
    if (spanData(above).type === 'agent') return textOf(above.id)
    above = byId.get(textOf(above.parent_id) ?? '')
  }
  return null
}

/** A generation span has its own usage; a response span's is in the turn span around it. */
function usageOf(data: UnknownObject, parent: UnknownObject | undefined): Usage {
  const completion = listOf(data.output).find(isObject)
  const around = parent === undefined ? {} : spanData(parent)
  const found =
    [data.usage, completion?.usage, isObject(around.data) ? around.data.usage : undefined].find(isObject) ??
    {}
  return {
    model: textOf(data.model) ?? '',
    input_tokens: numberOf(found.input_tokens) ?? numberOf(found.prompt_tokens) ?? 0,
    output_tokens: numberOf(found.output_tokens) ?? numberOf(found.completion_tokens) ?? 0,
    cache_read_tokens: numberOf(found.cached_input_tokens) ?? 0,
  }
}

function outputOf(data: UnknownObject): { readonly content: string; readonly calls: readonly ToolCall[] } {
  const messages = listOf(data.output).flatMap((item) => {
    if (!isObject(item)) return []
    return Array.isArray(item.choices)
      ? item.choices.flatMap((choice: unknown) => (isObject(choice) ? [choice.message] : []))
      : [item]
  })
  const found = messages.filter(isObject)
  const calls = found
    .flatMap((message) => listOf(message.tool_calls).filter(isObject))
    .map((call) => {
      const asked = isObject(call.function) ? call.function : call
      return {
        id: textOf(call.id) ?? '',
        name: textOf(asked.name) ?? '',
        arguments: (asked.arguments ?? {}) as JsonValue,
      }
    })
  return {
    content: found
      .map((message) => textOf(message.content) ?? '')
      .filter(Boolean)
      .join('\n'),
    calls,
  }
}

function spanData(span: UnknownObject): UnknownObject {
  return isObject(span.span_data) ? span.span_data : {}
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
