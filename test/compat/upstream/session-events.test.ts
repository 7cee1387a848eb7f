/** DeepStrike's session events: categories, wire shape, logs (C26 to C36). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  categories,
  checkRequiredCategories,
  eventKindNames,
  isKernelOsEvent,
  openAuditInput,
  parseSessionEvent,
  type SessionEvent,
  sessionLogHasRequiredCategories,
  unknownValues,
} from '../../../src/journal/index.ts'
import { reprise } from '../../support/cli.ts'
import { same } from '../../support/upstream.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/journal')
const everyKind: readonly SessionEvent[] = readFileSync(join(fixtures, 'golden/every-kind.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => parseSessionEvent(JSON.parse(line)))
const bare = everyKind.map(
  ({ category: _c, primitive: _p, ...event }: SessionEvent & { category?: unknown; primitive?: unknown }) =>
    parseSessionEvent(event),
)
const kinds = (events: readonly { readonly kind: string }[]): string[] =>
  events.map(({ kind }) => kind).sort()

const UNCHECKED = ['large_result_spooled', 'memory_queried', 'memory_validation_failed', 'memory_written']

describe('categories', () => {
  same('C26', 'session_log_has_required_categories is true or false', () => {
    expect(sessionLogHasRequiredCategories(everyKind)).toBe(true)
    expect(sessionLogHasRequiredCategories(bare)).toBe(false)
  })
  same('C27', 'sixteen kinds are checked', () => {
    const { findings } = checkRequiredCategories(bare)
    expect(findings).toHaveLength(16)
    for (const event of bare)
      expect(sessionLogHasRequiredCategories([event])).toBe(!kinds(findings).includes(event.kind))
  })
  same('C28', 'four kernel kinds are not checked', () => {
    const checked = kinds(checkRequiredCategories(bare).findings)
    expect(kinds(bare.filter((event) => isKernelOsEvent(event) && !checked.includes(event.kind)))).toEqual(
      UNCHECKED,
    )
  })
  same('C29', 'events that are not of the kernel and empty logs pass', () => {
    expect(sessionLogHasRequiredCategories([])).toBe(true)
    expect(sessionLogHasRequiredCategories(bare.filter((event) => !isKernelOsEvent(event)))).toBe(true)
  })
  same('C30', 'a category of null is none', () =>
    expect(
      sessionLogHasRequiredCategories([
        parseSessionEvent({ kind: 'page_in', turn: 1, category: null, entry_count: 1 }),
      ]),
    ).toBe(false),
  )
  same('C31', 'twenty kinds are of the kernel', () =>
    expect(everyKind.filter(isKernelOsEvent)).toHaveLength(20),
  )
  same('C32', 'the categories are proc, ipc, sched, mm, syscall', () =>
    expect([...categories].sort()).toEqual(['ipc', 'mm', 'proc', 'sched', 'syscall']),
  )
})

describe('the wire', () => {
  same('C33', 'an event is an object with kind, in snake_case', () => {
    expect(eventKindNames).toHaveLength(31)
    for (const event of everyKind) expect(Object.keys(event).every((key) => /^[a-z_]+$/.test(key))).toBe(true)
  })
  same(
    'C34',
    'a process has role, isolation, context_inheritance, capabilities, termination, primitive',
    () => {
      const event = {
        kind: 'agent_process_changed',
        turn: 3,
        category: 'proc',
        primitive: 'sched',
        agent_id: 'c',
        parent_session_id: 's',
      }
      const rest = {
        role: 'explore',
        isolation: 'readonly',
        context_inheritance: 'systemonly',
        state: 'joined',
      }
      const all = {
        ...event,
        ...rest,
        permitted_capability_ids: ['read_file'],
        result_termination: 'completed',
      }
      expect(JSON.stringify(parseSessionEvent(all))).toBe(JSON.stringify(all))
    },
  )
  same('C35', 'free texts stay free, and no event is dropped for a new value of a closed list', () => {
    const result = {
      call_id: 'c',
      output: 'x',
      is_error: true,
      is_fatal: false,
      error_kind: 'file_not_found',
      token_count: null,
    }
    const rows: readonly [SessionEvent, string][] = [
      [{ kind: 'tool_completed', turn: 0, results: [result] }, '$.results[0].error_kind'],
      [{ kind: 'llm_completed', turn: 0, message: { role: 'developer', content: 'x' } }, '$.message.role'],
      [
        { kind: 'rollbacked', turn: 0, checkpoint_history_len: 1, reason: { kind: 'new_reason', more: 1 } },
        '$.reason.kind',
      ],
      [{ kind: 'page_in', turn: 0, category: 'net', entry_count: 1 }, '$.category'],
      [{ kind: 'page_in', turn: 0, primitive: 'io', entry_count: 1 }, '$.primitive'],
    ]
    for (const [event, path] of rows) {
      expect(JSON.stringify(parseSessionEvent(event))).toBe(JSON.stringify(event))
      expect(unknownValues(parseSessionEvent(event)).map((unknown) => unknown.path)).toEqual([path])
    }
    expect(everyKind.flatMap(unknownValues)).toEqual([])
    expect(parseSessionEvent({ kind: 'suspended', turn: 1, reason: 'any text' })).toMatchObject({
      reason: 'any text',
    })
  })
})

const LOGS: readonly [string, number, string][] = [
  ['missing-terminal.events.json', 5, 'permission_denied'],
  ['passing.events.json', 6, ''],
  ['timeout-fnf-a.events.json', 14, 'file_not_found'],
  ['v0.2.60.jsonl', 22, 'file_not_found'],
]

describe('logs', () => {
  same('C36', 'a log is read from a JSON array', async () => {
    const entries: SessionEvent[] = []
    const input = await openAuditInput(join(fixtures, 'golden/events_spawn_lifecycle.json'), () => undefined)
    for await (const batch of input.entries) entries.push(...batch.map(({ event }) => event))
    const wanted: unknown[] = JSON.parse(
      readFileSync(join(fixtures, 'golden/events_spawn_lifecycle.json'), 'utf8'),
    )
    expect(entries).toHaveLength(wanted.length)
  })

  test.each(LOGS)(
    'every event of %s is kept, and unknown values are reported',
    async (name, count, value) => {
      const { code, stdout, stderr } = await reprise(['audit', '--json', join(fixtures, 'deepstrike', name)])
      expect([code, JSON.parse(stdout).events]).toEqual([0, count])
      expect(stderr.includes('damaged')).toBe(false)
      expect(stderr).toMatch(value === '' ? /^$/ : new RegExp(`error_kind has an unknown value "${value}"`))
    },
  )

  test('audit check reports a log without any category in one line', async () => {
    const { code, stdout } = await reprise(['audit', 'check', join(fixtures, 'deepstrike/v0.2.60.jsonl')])
    expect(code).toBe(2)
    expect(stdout.split('\n')[0]).toMatch(
      /^none of the 3 kernel events carries a category: DeepStrike 0\.2\.37 and newer writes none/,
    )
    expect(stdout.trimEnd().split('\n')).toHaveLength(2)
  })
})
