import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  checkRequiredCategories,
  decodeEvent,
  eventKindNames,
  isKernelOsEvent,
  parseOsSnapshot,
  parseSessionEvent,
  rebuildOsSnapshot,
  type SessionEvent,
} from '../../src/journal/index.ts'
import { extendedView } from '../../src/journal/view/extended-view.ts'

const golden = (name: string): string =>
  readFileSync(new URL(`../fixtures/journal/golden/${name}`, import.meta.url), 'utf8')
const everyKind = golden('every-kind.jsonl').trim().split('\n')

describe('upstream goldens', () => {
  test.each(['ask_user', 'spawn_lifecycle'])(
    '%s: the snapshot is upstream’s, with the memory counts that it leaves out',
    (name) => {
      const events: SessionEvent[] = JSON.parse(golden(`events_${name}.json`)).map(parseSessionEvent)
      const expected = JSON.parse(golden(`os_snapshot_${name}.json`))
      expect(rebuildOsSnapshot(events)).toEqual({
        ...expected,
        memory_written_count: 0,
        memory_queried_count: 0,
        memory_validation_failed_count: 0,
        memory_retrieval_result_count: 0,
      })
      expect(parseOsSnapshot(expected)).toEqual(rebuildOsSnapshot(events))
      expect(checkRequiredCategories(events).ok).toBe(true)
    },
  )
})

describe('every kind', () => {
  test('there is one example of each of the 31 kinds, 20 of them kernel events', () => {
    expect(everyKind.map((line) => JSON.parse(line).kind).toSorted()).toEqual(eventKindNames.toSorted())
    expect(eventKindNames.length).toBe(31)
    expect(eventKindNames.filter((kind) => isKernelOsEvent({ kind })).length).toBe(20)
  })

  test.each(everyKind)('is written as it was read: %s', (line) => {
    expect(JSON.stringify(parseSessionEvent(JSON.parse(line)))).toBe(line)
  })

  test('the snapshot of all of them', () => {
    expect(rebuildOsSnapshot(everyKind.map((line) => JSON.parse(line)))).toEqual({
      last_suspend: { turn: 2, reason: 'ask_user', pending_calls: ['c2'] },
      last_resumed_turn: 2,
      process_by_agent: [{ turn: 3, agent_id: 'child-1', parent_session_id: 's1', state: 'running' }],
      budget_exceeded: [{ turn: 5, budget: 'max_turns' }],
      signals: [{ turn: 4, signal_id: 'sig-1', disposition: 'interrupt_now', queue_depth: 0 }],
      page_out_count: 1,
      page_in_count: 1,
      tool_gated_count: 1,
      memory_written_count: 1,
      memory_queried_count: 1,
      memory_validation_failed_count: 1,
      memory_retrieval_result_count: 1,
    })
  })

  test('the base version never counts a memory retrieval', () => {
    expect(
      rebuildOsSnapshot(
        everyKind.map((line) => JSON.parse(line)),
        { compat: 'base' },
      ).memory_retrieval_result_count,
    ).toBe(0)
  })

  test('the extended view of all of them', () => {
    const view = extendedView(everyKind.map((line, seq) => ({ seq, event: JSON.parse(line) })))
    expect(view).toMatchObject({
      events: 31,
      firstSeq: 0,
      lastSeq: 30,
      suspendedNow: null,
      runs: [
        {
          runId: 'run-1',
          goal: 'Fix the login test',
          agentId: 'root',
          startedAtSeq: 0,
          endedAtSeq: 30,
          reason: 'completed',
          turnsUsed: 5,
          totalTokens: 1234,
          suspensions: 1,
        },
      ],
      permissions: { requested: 1, approved: 1, refused: 0, denied: 1, gated: 1, open: [] },
      tokens: { calls: 1, counted: 12, reported: 1234, costUsd: null },
      context: {
        compressed: 1,
        pageOut: 1,
        pageIn: 1,
        spooled: 1,
        renewed: 1,
        checkpoints: 1,
        rollbacks: 1,
        memoryWritten: 1,
        milestonesAdvanced: 1,
      },
    })
    expect(view.tools.find((row) => row.tool === 'read_file')).toEqual({
      tool: 'read_file',
      requested: 1,
      completed: 1,
      errors: 0,
      denied: 0,
      gated: 0,
      repaired: 1,
    })
    expect(view.processes).toMatchObject([
      {
        agentId: 's1',
        role: 'session',
        children: [{ agentId: 'child-1', role: 'explore', isolation: 'readonly', state: 'running' }],
      },
    ])
  })
})

describe('edge cases of the fold', () => {
  const cases: { name: string; events: SessionEvent[]; snapshot: unknown }[] = JSON.parse(
    golden('edge-cases.json'),
  )
  test('there are ten, and one for memory', () => expect(cases.length).toBe(11))
  test.each(cases)('$name', ({ events, snapshot }) => {
    expect(rebuildOsSnapshot(events)).toEqual(snapshot)
    for (const event of events) expect(decodeEvent(event)).toMatchObject({ ok: true })
  })
})

describe('what the snapshot cannot say and the extended view can', () => {
  const suspended = { kind: 'suspended', turn: 2, reason: 'ask_user', pending_calls: ['c2'] }
  const resumed = { kind: 'resumed', turn: 2, approved: ['c2'] }
  const at = (events: readonly SessionEvent[]): ReturnType<typeof extendedView> =>
    extendedView(events.map((event, seq) => ({ seq, event })))

  test('suspended then resumed, and resumed then suspended: the same snapshot, not the same state', () => {
    expect(rebuildOsSnapshot([suspended, resumed])).toEqual(rebuildOsSnapshot([resumed, suspended]))
    expect(at([suspended, resumed]).suspendedNow).toBe(null)
    expect(at([resumed, suspended]).suspendedNow).toEqual({
      seq: 1,
      turn: 2,
      reason: 'ask_user',
      pendingCalls: ['c2'],
    })
  })

  test('the end of a run ends its suspension', () => {
    expect(
      at([suspended, { kind: 'run_terminal', reason: 'user_abort', turns_used: 1, total_tokens: 0 }])
        .suspendedNow,
    ).toBe(null)
  })

  test('several runs in one session are told apart', () => {
    const run = (id: string): SessionEvent => ({
      kind: 'run_started',
      run_id: id,
      goal: id,
      criteria: [],
      agent_id: null,
      system_prompt: null,
    })
    const end: SessionEvent = { kind: 'run_terminal', reason: 'completed', turns_used: 1, total_tokens: 7 }
    expect(
      at([run('a'), end, run('b')]).runs.map(({ runId, reason, endedAtSeq }) => ({
        runId,
        reason,
        endedAtSeq,
      })),
    ).toEqual([
      { runId: 'a', reason: 'completed', endedAtSeq: 1 },
      { runId: 'b', reason: null, endedAtSeq: null },
    ])
  })

  test('agents that name each other as parent do not go round for ever', () => {
    const agent = (id: string, parent: string): SessionEvent => ({
      ...JSON.parse(everyKind.find((line) => line.includes('agent_process_changed')) ?? ''),
      agent_id: id,
      parent_session_id: parent,
    })
    expect(at([agent('a', 'b'), agent('b', 'a')]).processes).toMatchObject([
      { agentId: 'a', children: [{ agentId: 'b', children: [] }] },
    ])
    const chain = Array.from({ length: 5000 }, (_, n) => agent(`n${n}`, `n${n - 1}`))
    expect(at(chain).processes.length).toBeGreaterThan(0)
  })
})
