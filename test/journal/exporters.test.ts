import { expect, test } from 'vitest'
import { csvHeader, csvRow, otlpDocument, type SessionEvent } from '../../src/journal/index.ts'

type Span = {
  name: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code: number }
  attributes: { key: string; value: unknown }[]
  events: { name: string }[]
}
const entries = (events: readonly SessionEvent[]): { seq: number; event: SessionEvent }[] =>
  events.map((event, seq) => ({ seq, event }))
async function spansOf(events: readonly SessionEvent[]): Promise<{ spans: Span[]; resource: unknown }> {
  const document = JSON.parse(JSON.stringify(await otlpDocument('s1', entries(events))))
  return {
    spans: document.resourceSpans[0].scopeSpans[0].spans,
    resource: document.resourceSpans[0].resource,
  }
}
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`
const session: SessionEvent[] = [
  {
    kind: 'run_started',
    run_id: 'r',
    goal: 'g',
    criteria: [],
    agent_id: 'root',
    system_prompt: null,
    at: at(0),
  },
  {
    kind: 'llm_completed',
    turn: 0,
    message: { role: 'assistant', content: 'hi' },
    usage: { model: 'm', input_tokens: 5, output_tokens: 2 },
    at: at(2),
  },
  {
    kind: 'tool_requested',
    turn: 0,
    calls: [{ id: 'c', name: 'shell', arguments: { cmd: 'x' } }],
    at: at(3),
  },
  { kind: 'tool_gated', turn: 0, call_id: 'c', tool: 'shell', reason: 'ask_user', at: at(3) },
  {
    kind: 'tool_completed',
    turn: 0,
    results: [{ call_id: 'c', output: 'no', is_error: true, is_fatal: false, token_count: null }],
    at: at(5),
  },
  {
    kind: 'agent_process_changed',
    turn: 1,
    agent_id: 'a',
    parent_session_id: 's',
    role: 'explore',
    isolation: 'shared',
    context_inheritance: 'none',
    state: 'running',
    at: at(6),
  },
  {
    kind: 'agent_process_changed',
    turn: 1,
    agent_id: 'a',
    parent_session_id: 's',
    role: 'explore',
    isolation: 'shared',
    context_inheritance: 'none',
    state: 'joined',
    at: at(8),
  },
  { kind: 'run_terminal', reason: 'completed', turns_used: 1, total_tokens: 7, at: at(9) },
]

test('a run, its model call, its tool and its sub agent are spans, the rest are events of the run', async () => {
  const { spans, resource } = await spansOf(session)
  const [run] = spans
  expect(
    spans.map((span) => [
      span.name,
      Number(span.startTimeUnixNano) / 1e9 - 1767225600,
      Number(span.endTimeUnixNano) / 1e9 - 1767225600,
      span.status.code,
    ]),
  ).toEqual([
    ['invoke_agent root', 0, 9, 1],
    ['chat m', 0, 2, 1],
    ['execute_tool shell', 3, 5, 2],
    ['invoke_agent explore', 6, 8, 1],
  ])
  expect(spans.slice(1).every((span) => span.parentSpanId === run?.spanId)).toBe(true)
  expect(run?.events.map((event) => event.name)).toEqual(['tool_gated'])
  expect(new Set(spans.map((span) => span.spanId)).size).toBe(4)
  expect(spans[1]?.attributes).toContainEqual({ key: 'gen_ai.usage.input_tokens', value: { intValue: '5' } })
  expect(resource).toMatchObject({
    attributes: expect.arrayContaining([{ key: 'reprise.time', value: { stringValue: 'recorded' } }]),
  })
})

test('ids are hex of the right length and the same each time', async () => {
  const first = await spansOf(session)
  expect(first).toEqual(await spansOf(session))
  for (const span of first.spans) expect(span.spanId).toMatch(/^[0-9a-f]{16}$/)
})

test('without times the order of the log stands in, and the document says so', async () => {
  const { spans, resource } = await spansOf(
    session.map(({ at: _at, ...event }: SessionEvent & { at?: unknown }) => event),
  )
  expect(spans.map((span) => span.startTimeUnixNano)).toEqual(
    spans.map((span) => span.startTimeUnixNano).toSorted((a, b) => Number(a) - Number(b)),
  )
  expect(resource).toMatchObject({
    attributes: expect.arrayContaining([{ key: 'reprise.time', value: { stringValue: 'sequence' } }]),
  })
})

test('CSV: one row each, quoted, no formula', () => {
  expect(csvHeader).toBe('seq,at,kind,category,primitive,turn,event')
  expect(csvRow({ seq: 0, event: { kind: 'budget_exceeded', turn: 3, budget: 'max_turns' } })).toBe(
    '0,,budget_exceeded,sched,sched,3,"{""kind"":""budget_exceeded"",""turn"":3,""budget"":""max_turns""}"',
  )
  expect(csvRow({ seq: 1, event: { kind: '=cmd()' } })).toBe(
    '1,,\'=cmd(),sched,sched,,"{""kind"":""=cmd()""}"',
  )
})
