/**
 * A session as OpenTelemetry spans in OTLP/JSON, by the GenAI conventions: a run is an `invoke_agent` span, a
 * model call a `chat` span, a tool call an `execute_tool` span, a sub agent an `invoke_agent` span. What else
 * happened is an event on the run's span.
 *
 * Times are those that the events carry (`at`, which importers and journals opened with `at` keep). Where
 * there are none, one microsecond per seq keeps the order, and the resource reports which: `reprise.time` is
 * `recorded` or `sequence`. Ids are derived from the session and the seq, so the same journal gives the same
 * spans.
 */
import {
  contentHash,
  fieldsOf,
  isObject,
  listOf,
  numberOf,
  textOf,
  type UnknownObject,
  utf8,
} from '../../base/index.ts'
import type { JournalEntry } from '../events/journal.ts'
import { type Attribute, attribute, attributes } from './otlp-attributes.ts'

type OtlpSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  endTimeUnixNano: string
  readonly attributes: Attribute[]
  readonly events: {
    readonly timeUnixNano: string
    readonly name: string
    readonly attributes: readonly Attribute[]
  }[]
  status: { readonly code: number; readonly message?: string }
}

const INTERNAL = 1
const CLIENT = 3
const OK = { code: 1 } as const
const UNSET = { code: 0 } as const

export async function otlpDocument(
  session: string,
  entries: Iterable<JournalEntry> | AsyncIterable<JournalEntry>,
): Promise<unknown> {
  const builder = await createSpans(session)
  for await (const entry of entries) builder.add(entry)
  return builder.document()
}

export type SpanBuilder = { add(entry: JournalEntry): void; document(): unknown }

export async function createSpans(session: string): Promise<SpanBuilder> {
  const traceId = contentHash(utf8(`trace\n${session}`)).slice(0, 32)
  const spans: OtlpSpan[] = []
  const openCalls = new Map<string, OtlpSpan>()
  const openAgents = new Map<string, OtlpSpan>()
  let run: OtlpSpan | null = null
  let timed = false
  let before = '0'

  const timeOf = (seq: number, event: UnknownObject): string => {
    const ms = typeof event.at === 'string' ? Date.parse(event.at) : Number.NaN
    if (Number.isFinite(ms)) timed = true
    const nanos = Number.isFinite(ms)
      ? `${BigInt(ms) * 1_000_000n}`
      : before === '0' || !timed
        ? `${BigInt(seq) * 1000n}`
        : before
    before = nanos
    return nanos
  }
  const open = (
    seq: number,
    name: string,
    kind: number,
    at: string,
    facts: UnknownObject,
    parent: OtlpSpan | null,
  ): OtlpSpan => {
    const span: OtlpSpan = {
      traceId,
      spanId: contentHash(utf8(`span\n${session}\n${seq}\n${name}\n${spans.length}`)).slice(0, 16),
      ...(parent === null ? {} : { parentSpanId: parent.spanId }),
      name,
      kind,
      startTimeUnixNano: at,
      endTimeUnixNano: at,
      attributes: attributes({ 'gen_ai.conversation.id': session, 'reprise.seq': seq, ...facts }),
      events: [],
      status: UNSET,
    }
    spans.push(span)
    return span
  }
  const fail = (span: OtlpSpan, type: string): void => {
    span.status = { code: 2, message: type }
    span.attributes.push(attribute('error.type', type))
  }

  const onRunEnd = (event: UnknownObject, at: string): void => {
    if (run === null) return
    run.endTimeUnixNano = at
    const reason = textOf(event.reason) ?? ''
    run.attributes.push(
      ...attributes({
        'gen_ai.response.finish_reasons': [reason],
        'reprise.total_tokens': numberOf(event.total_tokens),
      }),
    )
    if (reason === 'completed') run.status = OK
    else fail(run, reason)
    run = null
  }
  const onModelCall = (seq: number, event: UnknownObject, at: string, started: string): void => {
    const usage = fieldsOf(event.usage)
    const message = fieldsOf(event.message)
    const model = textOf(usage.model) || null
    const span = open(
      seq,
      model === null ? 'chat' : `chat ${model}`,
      CLIENT,
      started,
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'gen_ai.usage.input_tokens': numberOf(usage.input_tokens),
        'gen_ai.usage.output_tokens': numberOf(usage.output_tokens) ?? numberOf(message.token_count),
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', content: message.content ?? '', tool_calls: message.tool_calls },
        ]),
      },
      run,
    )
    span.endTimeUnixNano = at
    span.status = OK
  }
  const onToolResult = (result: UnknownObject, at: string): void => {
    const span = openCalls.get(textOf(result.call_id) ?? '')
    if (span === undefined) return
    openCalls.delete(textOf(result.call_id) ?? '')
    span.endTimeUnixNano = at
    if (result.is_error === true) fail(span, textOf(result.error_kind) ?? 'tool_error')
    else span.status = OK
  }
  const onAgent = (seq: number, event: UnknownObject, at: string): void => {
    const id = textOf(event.agent_id) ?? ''
    const parent = openAgents.get(textOf(event.parent_session_id) ?? '') ?? run
    const role = textOf(event.role) ?? 'agent'
    const span =
      openAgents.get(id) ??
      open(
        seq,
        `invoke_agent ${role}`,
        INTERNAL,
        at,
        { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.id': id, 'gen_ai.agent.name': role },
        parent,
      )
    openAgents.set(id, span)
    span.endTimeUnixNano = at
    if (event.state === 'failed') fail(span, textOf(event.result_termination) ?? 'failed')
    else if (event.state === 'joined') span.status = OK
  }

  return {
    add({ seq, event }) {
      const raw: UnknownObject = event
      const started = before
      const at = timeOf(seq, raw)
      switch (event.kind) {
        case 'run_started': {
          const name = textOf(raw.agent_id)
          run = open(
            seq,
            name === null ? 'invoke_agent' : `invoke_agent ${name}`,
            INTERNAL,
            at,
            {
              'gen_ai.operation.name': 'invoke_agent',
              'gen_ai.agent.id': name,
              'reprise.run_id': textOf(raw.run_id),
              'reprise.goal': textOf(raw.goal),
            },
            null,
          )
          return
        }
        case 'run_terminal':
          onRunEnd(raw, at)
          return
        case 'llm_completed':
          onModelCall(seq, raw, at, started === '0' ? at : started)
          return
        case 'tool_requested':
          for (const call of listOf(raw.calls).filter(isObject)) {
            const name = textOf(call.name) ?? ''
            const facts = {
              'gen_ai.operation.name': 'execute_tool',
              'gen_ai.tool.name': name,
              'gen_ai.tool.call.id': textOf(call.id),
              'gen_ai.tool.call.arguments': JSON.stringify(call.arguments),
            }
            openCalls.set(textOf(call.id) ?? '', open(seq, `execute_tool ${name}`, INTERNAL, at, facts, run))
          }
          return
        case 'tool_completed':
          for (const result of listOf(raw.results).filter(isObject)) onToolResult(result, at)
          return
        case 'agent_process_changed':
          onAgent(seq, raw, at)
          return
        default: {
          const target = run ?? open(seq, 'session', INTERNAL, at, {}, null)
          run = target
          const { kind, at: _at, ...facts } = raw
          target.events.push({
            timeUnixNano: at,
            name: String(kind),
            attributes: attributes({ 'reprise.seq': seq, ...facts }),
          })
          target.endTimeUnixNano = at
        }
      }
    },
    document: () => ({
      resourceSpans: [
        {
          resource: {
            attributes: attributes({
              'service.name': 'reprise',
              'reprise.session': session,
              'reprise.time': timed ? 'recorded' : 'sequence',
            }),
          },
          scopeSpans: [{ scope: { name: 'reprise.journal' }, spans }],
        },
      ],
    }),
  }
}
