import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventKinds } from '../../src/journal/events/kinds.ts'
import {
  categoryOfKind,
  checkRequiredCategories,
  decodeEvent,
  eventCategory,
  eventKindNames,
  parseSessionEvent,
  primitiveOfKind,
  withCategory,
} from '../../src/journal/index.ts'

const examples = new Map(
  readFileSync(new URL('../fixtures/journal/golden/every-kind.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => [JSON.parse(line).kind as string, JSON.parse(line) as Record<string, unknown>]),
)
const example = (kind: string): Record<string, unknown> => structuredClone(examples.get(kind) ?? {})
const fields = eventKindNames.flatMap((kind) =>
  Object.entries(eventKinds[kind]).map(([name, field]) => ({ kind, name, ...field })),
)

describe('validation', () => {
  test.each(fields.filter((field) => field.presence === 'required'))(
    '$kind needs $name',
    ({ kind, name }) => {
      const { [name]: _gone, ...rest } = example(kind)
      // The SDKs read a process without a state as running.
      if (name === 'state') expect(decodeEvent(rest)).toMatchObject({ ok: true, event: { state: 'running' } })
      else
        expect(decodeEvent(rest)).toEqual({
          ok: false,
          problems: [{ path: `$.${name}`, reason: 'is missing' }],
        })
    },
  )

  test.each(fields)('$kind refuses a wrong $name', ({ kind, name, type }) => {
    const wrong = ['string', 'strings', 'category', 'primitive'].includes(type) ? 7 : 'x'
    const decoded = decodeEvent({ ...example(kind), [name]: wrong })
    expect(decoded.ok).toBe(false)
    expect(decoded.ok ? '' : decoded.problems[0]?.path.startsWith(`$.${name}`)).toBe(true)
  })

  test.each([-1, 1.5, 4294967296, '1', Number.NaN, null])('turn cannot be %s', (turn) => {
    expect(decodeEvent({ ...example('tool_gated'), turn }).ok).toBe(false)
  })

  test('the error names kind, path, reason, code and hint', () => {
    expect(() =>
      parseSessionEvent({ kind: 'tool_requested', turn: 0, calls: [{ id: 'c', name: 5, arguments: {} }] }),
    ).toThrowError(
      expect.objectContaining({
        code: 'event-invalid',
        message: 'not a session event (tool_requested): $.calls[0].name expected a string, got 5',
      }),
    )
  })

  test.each([null, 3, 'x', [], {}, { kind: 5 }])('%j is no event', (value) =>
    expect(decodeEvent(value).ok).toBe(false),
  )

  test('unknown kinds and unknown fields are kept', () => {
    expect(parseSessionEvent({ kind: 'entropy_sample', turn: 1, value: 0.5 })).toEqual({
      kind: 'entropy_sample',
      turn: 1,
      value: 0.5,
    })
    expect(parseSessionEvent({ ...example('tool_gated'), note: { deep: [1] } })).toEqual({
      ...example('tool_gated'),
      note: { deep: [1] },
    })
  })

  test('a hostile __proto__ is a field like any other', () => {
    const event = parseSessionEvent(
      JSON.parse('{"kind":"budget_exceeded","turn":1,"budget":"x","__proto__":{"polluted":true}}'),
    )
    expect(JSON.stringify(event)).toBe(
      '{"kind":"budget_exceeded","turn":1,"budget":"x","__proto__":{"polluted":true}}',
    )
    expect('polluted' in {}).toBe(false)
  })

  test('defaults: what is missing is written as upstream writes it', () => {
    expect(JSON.stringify(parseSessionEvent({ kind: 'run_started', run_id: 'r', goal: 'g' }))).toBe(
      '{"kind":"run_started","run_id":"r","goal":"g","criteria":[],"agent_id":null,"system_prompt":null}',
    )
    expect(JSON.stringify(parseSessionEvent({ kind: 'page_out', turn: 1, category: null }))).toBe(
      '{"kind":"page_out","turn":1,"message_count":0}',
    )
    expect(
      JSON.stringify(parseSessionEvent({ kind: 'suspended', turn: 1, reason: 'x', pending_calls: [] })),
    ).toBe('{"kind":"suspended","turn":1,"reason":"x"}')
  })
})

describe('shapes of other SDKs and later versions', () => {
  const rows: [string, unknown, unknown][] = [
    [
      'Node: flat llm_completed, arguments as a JSON string',
      {
        kind: 'llm_completed',
        turn: 1,
        content: 'hi',
        tool_calls: [{ id: 'c', name: 't', arguments: '{"a":1}' }],
        token_count: 3,
      },
      {
        kind: 'llm_completed',
        turn: 1,
        message: {
          role: 'assistant',
          content: 'hi',
          tool_calls: [{ id: 'c', name: 't', arguments: { a: 1 } }],
          token_count: 3,
        },
      },
    ],
    [
      'Node: camelCase',
      {
        kind: 'llm_completed',
        turn: 1,
        content: 'hi',
        toolCalls: [],
        tokenCount: 3,
        providerReplay: { reasoning_content: 'r' },
      },
      {
        kind: 'llm_completed',
        turn: 1,
        message: { role: 'assistant', content: 'hi', token_count: 3 },
        provider_replay: { reasoning_content: 'r' },
      },
    ],
    [
      'Python: flat memory_retrieval_result',
      { kind: 'memory_retrieval_result', selected_memory_ids: ['m'], selection_rationale: 'why' },
      {
        kind: 'memory_retrieval_result',
        retrieval: { selected_memory_ids: ['m'], selection_rationale: 'why' },
      },
    ],
    [
      'Node: a result without is_error',
      { kind: 'tool_completed', turn: 0, results: [{ call_id: 'c', output: 'o' }] },
      {
        kind: 'tool_completed',
        turn: 0,
        results: [{ call_id: 'c', output: 'o', is_error: false, is_fatal: false, token_count: null }],
      },
    ],
    [
      'arguments whose numbers would change stay text',
      { kind: 'tool_requested', turn: 0, calls: [{ id: 'c', name: 't', arguments: '{"a":1.0}' }] },
      { kind: 'tool_requested', turn: 0, calls: [{ id: 'c', name: 't', arguments: '{"a":1.0}' }] },
    ],
    [
      'later: record_id and scope',
      { kind: 'memory_written', turn: 1, record_id: 'm', scope: 's', memory_kind: 'user', size_bytes: 1 },
      {
        kind: 'memory_written',
        turn: 1,
        memory_id: 'm',
        memory_kind: 'user',
        size_bytes: 1,
        record_id: 'm',
        scope: 's',
      },
    ],
    [
      'later: hits',
      { kind: 'memory_retrieval_result', hits: [{ record_id: 'm1', score: 1 }] },
      {
        kind: 'memory_retrieval_result',
        retrieval: {
          hits: [{ record_id: 'm1', score: 1 }],
          selected_memory_ids: ['m1'],
          selection_rationale: '',
        },
      },
    ],
    [
      'later: content blocks in a result',
      {
        kind: 'tool_completed',
        turn: 0,
        results: [{ call_id: 'c', is_error: false, content: [{ type: 'text', text: 'o' }] }],
      },
      {
        kind: 'tool_completed',
        turn: 0,
        results: [
          {
            call_id: 'c',
            output: [{ type: 'text', text: 'o' }],
            is_error: false,
            is_fatal: false,
            token_count: null,
          },
        ],
      },
    ],
    [
      'later: signal_delivery_disposed',
      { kind: 'signal_delivery_disposed', turn: 1, signal_id: 's', delivery_id: 'd', attempt: 1 },
      { kind: 'signal_delivery_disposed', turn: 1, signal_id: 's', delivery_id: 'd', attempt: 1 },
    ],
  ]
  test.each(rows)('%s', (_name, given, expected) => expect(parseSessionEvent(given)).toEqual(expected))
})

describe('categories', () => {
  test('each kind has its category and primitive', () => {
    expect(
      Object.fromEntries(
        eventKindNames.map((kind) => [kind, `${categoryOfKind(kind)} ${primitiveOfKind(kind)}`]),
      ),
    ).toEqual({
      run_started: 'sched sched',
      llm_completed: 'sched sched',
      tool_requested: 'sched sched',
      tool_completed: 'sched sched',
      compressed: 'mm mm',
      page_out: 'mm mm',
      page_in: 'mm mm',
      large_result_spooled: 'mm mm',
      run_terminal: 'sched sched',
      tool_argument_repaired: 'sched sched',
      permission_requested: 'sched sched',
      permission_resolved: 'sched sched',
      tool_denied: 'sched sched',
      capability_changed: 'syscall syscall',
      context_renewed: 'mm mm',
      suspended: 'sched sched',
      resumed: 'sched sched',
      tool_gated: 'syscall syscall',
      signal_disposed: 'ipc sched',
      budget_exceeded: 'sched sched',
      checkpoint_taken: 'sched sched',
      rollbacked: 'sched sched',
      cleanup_completed: 'sched sched',
      agent_process_changed: 'proc sched',
      milestone_advanced: 'sched sched',
      milestone_blocked: 'sched sched',
      milestone_evidence: 'sched sched',
      memory_written: 'mm mm',
      memory_queried: 'mm mm',
      memory_validation_failed: 'mm mm',
      memory_retrieval_result: 'sched sched',
    })
    expect(categoryOfKind('agent_spawned')).toBe('proc')
    expect(categoryOfKind('never heard of')).toBe('sched')
  })

  test('an embedded category is believed, even a wrong one', () => {
    expect(eventCategory({ ...example('tool_gated'), kind: 'tool_gated', category: 'mm' })).toBe('mm')
  })

  test('base checks 16 kinds for presence, strict all 20 for the right value', () => {
    const bare = [...examples.values()].map(({ category: _c, primitive: _p, ...rest }) =>
      parseSessionEvent(rest),
    )
    expect(checkRequiredCategories(bare, { level: 'base' })).toMatchObject({ ok: false, checked: 16 })
    expect(checkRequiredCategories(bare, { level: 'base' }).findings.length).toBe(16)
    expect(checkRequiredCategories(bare, { level: 'strict' }).findings.length).toBe(20)
    expect(checkRequiredCategories(bare.map(withCategory), { level: 'strict' })).toEqual({
      ok: true,
      checked: 20,
      findings: [],
      withoutAny: false,
    })
    expect(checkRequiredCategories([]).ok).toBe(true)
  })

  test('a wrong category passes at base and is named at strict, with the primitive', () => {
    const events = [parseSessionEvent({ ...example('tool_gated'), category: 'mm', primitive: 'sched' })]
    expect(checkRequiredCategories(events, { level: 'base' }).ok).toBe(true)
    expect(checkRequiredCategories(events, { level: 'strict' }).findings).toEqual([
      {
        index: 0,
        kind: 'tool_gated',
        field: 'category',
        problem: 'wrong',
        expected: 'syscall',
        actual: 'mm',
      },
      {
        index: 0,
        kind: 'tool_gated',
        field: 'primitive',
        problem: 'wrong',
        expected: 'syscall',
        actual: 'sched',
      },
    ])
  })
})
