/** DeepStrike's audit snapshot (C1 to C25, C37 to C39), and the newest form of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createFold,
  emptyOsSnapshot,
  type FoldOptions,
  fold,
  openAuditInput,
  parseOsSnapshot,
  parseSessionEvent,
  rebuildOsSnapshot,
  type SessionEvent,
  sessionLogHasRequiredCategories,
} from '../../../src/journal/index.ts'
import { same, superset } from '../../support/upstream.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/journal')
const read = (name: string): unknown => JSON.parse(readFileSync(join(fixtures, name), 'utf8'))
const rebuild = (events: readonly SessionEvent[], options: FoldOptions = {}) =>
  rebuildOsSnapshot(events, options)

const agent = (agent_id: string, turn: number, state: string, parent = 'parent'): SessionEvent => ({
  kind: 'agent_process_changed',
  turn,
  agent_id,
  parent_session_id: parent,
  role: 'worker',
  isolation: 'shared',
  context_inheritance: 'none',
  state,
})
const signal: SessionEvent = {
  kind: 'signal_disposed',
  turn: 2,
  signal_id: 'sig-a',
  disposition: 'queue',
  queue_depth: 1,
}
const suspended: SessionEvent = { kind: 'suspended', turn: 3, reason: 'ask_user', pending_calls: ['c1'] }

describe('records', () => {
  same('C1', 'a signal has turn, signal_id, disposition, queue_depth', () =>
    expect(JSON.stringify(rebuild([signal]).signals)).toBe(
      '[{"turn":2,"signal_id":"sig-a","disposition":"queue","queue_depth":1}]',
    ),
  )
  same('C2', 'a process has turn, agent_id, parent_session_id, state', () =>
    expect(JSON.stringify(rebuild([agent('a', 1, 'running')]).process_by_agent)).toBe(
      '[{"turn":1,"agent_id":"a","parent_session_id":"parent","state":"running"}]',
    ),
  )
  same('C3', 'a suspension has turn, reason, pending_calls', () =>
    expect(JSON.stringify(rebuild([suspended]).last_suspend)).toBe(
      '{"turn":3,"reason":"ask_user","pending_calls":["c1"]}',
    ),
  )
  same('C4', 'an exceeded budget has turn and budget', () =>
    expect(
      JSON.stringify(rebuild([{ kind: 'budget_exceeded', turn: 5, budget: 'max_turns' }]).budget_exceeded),
    ).toBe('[{"turn":5,"budget":"max_turns"}]'),
  )
  same('C5', 'a snapshot has twelve fields in order', () =>
    expect(Object.keys(rebuild([signal]))).toEqual([
      'last_suspend',
      'last_resumed_turn',
      'process_by_agent',
      'budget_exceeded',
      'signals',
      'page_out_count',
      'page_in_count',
      'tool_gated_count',
      'memory_written_count',
      'memory_queried_count',
      'memory_validation_failed_count',
      'memory_retrieval_result_count',
    ]),
  )
  same('C6', 'the default snapshot is empty', () => expect(rebuild([])).toEqual(emptyOsSnapshot()))
  same('C7', 'nulls are written', () =>
    expect(JSON.stringify(emptyOsSnapshot())).toContain('"last_suspend":null,"last_resumed_turn":null'),
  )
  same('C8', 'memory counts that are missing are 0', () => {
    const { memory_written_count: _, ...rest } = emptyOsSnapshot()
    expect(parseOsSnapshot(rest).memory_written_count).toBe(0)
  })
  same('C9', 'every other key is required', () => {
    const { process_by_agent: _, ...rest } = emptyOsSnapshot()
    expect(() => parseOsSnapshot(rest)).toThrow('$.process_by_agent is missing')
  })
})

describe('the fold', () => {
  same('C10', 'one fold in the given order', () =>
    expect(rebuild([agent('a', 9, 'joined'), agent('a', 1, 'running')]).process_by_agent).toMatchObject([
      { turn: 1, state: 'running' },
    ]),
  )
  same('C11', 'events that are not of the kernel are skipped', () =>
    expect(rebuild([{ kind: 'tool_denied', turn: 1, call_id: 'c', tool_name: 't', reason: 'r' }])).toEqual(
      emptyOsSnapshot(),
    ),
  )
  same('C12', 'a suspension replaces the last one', () =>
    expect(rebuild([suspended, { kind: 'suspended', turn: 1, reason: 'later' }]).last_suspend).toEqual({
      turn: 1,
      reason: 'later',
      pending_calls: [],
    }),
  )
  same('C13', 'pending calls that are missing are an empty list', () =>
    expect(rebuild([{ kind: 'suspended', turn: 1, reason: 'r' }]).last_suspend?.pending_calls).toEqual([]),
  )
  same('C14', 'a resumption sets its turn and keeps the suspension', () =>
    expect(rebuild([suspended, { kind: 'resumed', turn: 4 }])).toMatchObject({
      last_resumed_turn: 4,
      last_suspend: { turn: 3 },
    }),
  )
  same('C15', 'a gated tool counts', () =>
    expect(
      rebuild([{ kind: 'tool_gated', turn: 1, call_id: 'c', tool: 't', reason: 'r' }]).tool_gated_count,
    ).toBe(1),
  )
  same('C16', 'the first change of an agent appends a row', () =>
    expect(
      rebuild([agent('a', 1, 'running'), agent('b', 1, 'running')]).process_by_agent.map(
        (row) => row.agent_id,
      ),
    ).toEqual(['a', 'b']),
  )
  same('C17', 'a later change replaces the row in place', () =>
    expect(
      rebuild([
        agent('a', 1, 'running'),
        agent('b', 1, 'running'),
        agent('a', 0, 'joined', 'other'),
      ]).process_by_agent.map((row) => [row.agent_id, row.state, row.parent_session_id]),
    ).toEqual([
      ['a', 'joined', 'other'],
      ['b', 'running', 'parent'],
    ]),
  )
  same('C18', 'budgets are appended, also equal ones', () => {
    const budget: SessionEvent = { kind: 'budget_exceeded', turn: 1, budget: 'max_turns' }
    expect(rebuild([budget, budget]).budget_exceeded).toHaveLength(2)
  })
  same('C19', 'signals are appended', () => expect(rebuild([signal, signal]).signals).toHaveLength(2))
  same('C20', 'paging counts events', () =>
    expect(
      rebuild([
        { kind: 'page_out', turn: 1, message_count: 40 },
        { kind: 'page_in', turn: 1, entry_count: 7 },
      ]),
    ).toMatchObject({ page_out_count: 1, page_in_count: 1 }),
  )
  same('C21', 'memory events count', () =>
    expect(
      rebuild([
        { kind: 'memory_written', turn: 1, memory_id: 'm', memory_kind: 'user', size_bytes: 1 },
        {
          kind: 'memory_queried',
          turn: 1,
          query_context: 'q',
          requested_k: 1,
          requires_async_response: true,
        },
        { kind: 'memory_validation_failed', turn: 1, memory_id: 'm', error: 'e' },
      ]),
    ).toMatchObject({ memory_written_count: 1, memory_queried_count: 1, memory_validation_failed_count: 1 }),
  )
  same('C22', 'retrievals count; the base version never reached that line', () => {
    const events: SessionEvent[] = [
      { kind: 'memory_retrieval_result', retrieval: { selected_memory_ids: [], selection_rationale: '' } },
    ]
    expect(rebuild(events).memory_retrieval_result_count).toBe(1)
    expect(rebuild(events, { compat: 'base' }).memory_retrieval_result_count).toBe(0)
  })
  same('C23', 'other kernel events have no effect', () =>
    expect(rebuild([{ kind: 'checkpoint_taken', turn: 1, history_len: 5 }])).toEqual(emptyOsSnapshot()),
  )
  superset('C24', 'missing and foreign values never fail', () =>
    expect(
      rebuild([
        { kind: 'suspended' } as SessionEvent,
        { kind: 'agent_process_changed', agent_id: 7 } as SessionEvent,
      ]),
    ).toMatchObject({
      last_suspend: { turn: 0, reason: '', pending_calls: [] },
      process_by_agent: [{ agent_id: '', state: 'running' }],
    }),
  )
  superset('C25', 'the fold can go on from a snapshot', () => {
    const stream = createFold({}, rebuild([suspended]))
    stream.add(signal)
    expect(stream.snapshot()).toEqual(rebuild([suspended, signal]))
    expect(fold(rebuild([suspended]), signal)).toEqual(rebuild([suspended, signal]))
  })
})

describe("upstream's own tests", () => {
  same('C37', 'processes and signals are tracked', () => {
    const snapshot = rebuild([
      agent('child-1', 1, 'running'),
      signal,
      suspended,
      agent('child-1', 4, 'joined'),
    ])
    expect(snapshot).toMatchObject({
      process_by_agent: [{ state: 'joined' }],
      signals: [{ signal_id: 'sig-a' }],
      last_suspend: { reason: 'ask_user' },
    })
  })
  const golden = (name: string): void => {
    const events = (read(`golden/events_${name}.json`) as unknown[]).map(parseSessionEvent)
    expect(sessionLogHasRequiredCategories(events)).toBe(true)
    expect(rebuild(events)).toEqual(parseOsSnapshot(read(`golden/os_snapshot_${name}.json`)))
  }
  same('C38', 'the golden of a spawned agent', () => golden('spawn_lifecycle'))
  same('C39', 'the golden of a question to the user', () => golden('ask_user'))
})

describe('the newest version', () => {
  const events = async (name: string): Promise<readonly SessionEvent[]> => {
    const list: SessionEvent[] = []
    const refuse = (damage: unknown): never => {
      throw new Error(JSON.stringify(damage))
    }
    for await (const batch of (await openAuditInput(join(fixtures, name), refuse)).entries)
      list.push(...batch.map(({ event }) => event))
    return list
  }

  test('its log folds to its snapshot: usage, cancellations, deliveries of signals', async () => {
    const log = await events('deepstrike/v0.2.60.jsonl')
    const expected = {
      last_suspend: null,
      last_resumed_turn: null,
      process_by_agent: [{ turn: 2, agent_id: 'child', parent_session_id: 'task-1', state: 'running' }],
      budget_exceeded: [{ turn: 1, operation_id: 'op', reservation_id: 'res', budget: 'max_turns' }],
      budget_usage_reported: [
        { turn: 1, operation_id: 'op', reservation_id: 'res', tokens: 9, subagents: 1, rounds: 2 },
      ],
      cancellations: [{ turn: 2, operation_id: 'op', reason: 'user', pending_call_ids: ['c1'] }],
      signals: [
        {
          turn: 1,
          operation_id: 'op',
          delivery_id: 'd',
          attempt: 1,
          signal_id: 's',
          disposition: 'queue',
          queue_depth: 1,
        },
      ],
      page_out_count: 1,
      page_in_count: 0,
      tool_gated_count: 0,
      memory_written_count: 1,
      memory_queried_count: 1,
      memory_validation_failed_count: 1,
      memory_retrieval_result_count: 1,
    }
    expect(JSON.stringify(rebuild(log))).toBe(JSON.stringify(expected))
    expect(parseOsSnapshot(JSON.parse(JSON.stringify(rebuild(log))))).toEqual(expected)
    expect(rebuild(log, { compat: 'base' })).toMatchObject({
      signals: [],
      budget_exceeded: [{ turn: 1, budget: 'max_turns' }],
    })
    expect(Object.keys(rebuild(log, { compat: 'base' }))).toEqual(Object.keys(emptyOsSnapshot()))
  })

  test('a log of the base version has the newest form on request', () => {
    const budget: SessionEvent = { kind: 'budget_exceeded', turn: 1, budget: 'max_turns' }
    expect(rebuild([signal, budget], { compat: 'newest' })).toMatchObject({
      budget_usage_reported: [],
      cancellations: [],
      budget_exceeded: [{ turn: 1, operation_id: '', reservation_id: null, budget: 'max_turns' }],
      signals: [{ turn: 2, operation_id: '', delivery_id: '', attempt: 0, signal_id: 'sig-a' }],
    })
  })

  test('the form changes where the log does, however the log is cut', () => {
    const usage = {
      kind: 'budget_usage_reported',
      turn: 2,
      operation_id: 'op',
      reservation_id: 'r',
      tokens: 1,
      subagents: 0,
      rounds: 0,
    }
    const log: SessionEvent[] = [signal, { kind: 'budget_exceeded', turn: 1, budget: 'b' }, usage, signal]
    const whole = rebuild(log)
    for (let cut = 0; cut <= log.length; cut += 1) {
      expect(
        log.slice(cut).reduce((snapshot, event) => fold(snapshot, event), rebuild(log.slice(0, cut))),
      ).toEqual(whole)
    }
    expect(whole.signals).toHaveLength(2)
  })
})
