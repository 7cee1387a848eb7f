import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openAuditInput } from '../../src/journal/audit-input.ts'
import {
  checkRequiredCategories,
  type ImportMap,
  importLog,
  parseSessionEvent,
  type SessionEvent,
} from '../../src/journal/index.ts'
import type { ForeignFormat } from '../../src/journal/input/formats.ts'
import { tempFolder } from '../support/temp-folder.ts'

const log = (name: string): string =>
  new URL(`../fixtures/journal/logs/${name}.jsonl`, import.meta.url).pathname

type Imported = { readonly events: SessionEvent[]; readonly map: ImportMap; readonly damage: string[] }

async function imported(format: ForeignFormat, path: string): Promise<Imported> {
  const damage: string[] = []
  const opened = importLog(format, path, ({ line, reason, recovered }) =>
    damage.push(`${line} ${reason} ${recovered}`),
  )
  const events: SessionEvent[] = []
  for await (const batch of opened.events) events.push(...batch)
  return { events, map: opened.map(), damage }
}

async function fromText(format: ForeignFormat, text: string | Buffer): Promise<Imported> {
  const path = join(tempFolder(), 'log.jsonl')
  writeFileSync(path, text)
  return imported(format, path)
}

const kinds = (events: readonly SessionEvent[]): string => events.map((event) => event.kind).join(' ')

describe('Claude Code 2.1.197', () => {
  test('a session of five prompts: tools, failures, a refusal, a sub agent, an API error, a compaction', async () => {
    const { events, map } = await imported('claude-code', log('claude-code-2.1.197'))
    expect(kinds(events)).toBe(
      [
        'run_started llm_completed tool_requested tool_completed llm_completed tool_requested tool_completed tool_completed llm_completed run_terminal',
        'run_started llm_completed tool_requested tool_denied tool_completed llm_completed run_terminal',
        'run_started llm_completed tool_requested agent_process_changed tool_completed agent_process_changed llm_completed run_terminal',
        'run_started compressed run_terminal',
      ].join(' '),
    )
    expect(events[4]).toMatchObject({
      message: {
        content: 'I see nothing.',
        tool_calls: [{ name: 'Read', arguments: { file_path: '/nonexistent/a.txt' } }, { name: 'Bash' }],
      },
    })
    expect(events[6]).toMatchObject({
      results: [{ is_error: true, output: expect.stringContaining('File does not exist') }],
    })
    expect(events[13]).toMatchObject({ kind: 'tool_denied', tool_name: 'Write' })
    expect(events[11]).toMatchObject({ provider_replay: { reasoning_content: 'Let me think' } })
    expect(events[20]).toMatchObject({ role: 'general-purpose', state: 'running', category: 'proc' })
    expect(events[22]).toMatchObject({
      state: 'joined',
      result_termination: 'completed',
      log_agent_id: 'a63b5d5b784f3fdb5',
    })
    expect(events[26]).toMatchObject({
      kind: 'compressed',
      action: 'manual_compact',
      summary: 'This session is being continued. Summary: we looked around.',
    })
    expect(
      events
        .filter((event) => event.kind === 'run_terminal')
        .map((event) => 'reason' in event && event.reason),
    ).toEqual(['completed', 'completed', 'completed', 'error'])
    expect(map).toMatchObject({ records: 49, events: 28, duplicates: 0 })
    expect(map.kept.find((row) => row.type === 'user (tool result)')).toEqual({
      type: 'user (tool result)',
      as: ['tool_completed'],
      count: 5,
    })
    expect(map.unmapped.find((row) => row.type === 'queue-operation')).toEqual({
      type: 'queue-operation',
      reason: 'no session event matches it',
      count: 10,
    })
  })

  test('the log of a sub agent is a session of its own', async () => {
    const { events } = await imported('claude-code', log('claude-code-2.1.197-subagent'))
    expect(kinds(events)).toBe(
      'run_started llm_completed tool_requested tool_completed llm_completed run_terminal',
    )
    expect(events[0]).toMatchObject({ goal: 'Look for the login test' })
  })

  test('a message whose lines come before and after a result is counted once', async () => {
    const line = (value: object): string =>
      `${JSON.stringify({ sessionId: 's', isSidechain: false, ...value })}\n`
    const part = (uuid: string, block: object): string =>
      line({
        type: 'assistant',
        uuid,
        message: {
          id: 'm',
          role: 'assistant',
          model: 'x',
          content: [block],
          stop_reason: 'tool_use',
          usage: { input_tokens: 10, output_tokens: 5 },
        },
      })
    const { events } = await fromText(
      'claude-code',
      [
        line({ type: 'user', uuid: 'u', message: { role: 'user', content: 'go' } }),
        part('a', { type: 'tool_use', id: 't1', name: 'A', input: {} }),
        line({
          type: 'user',
          uuid: 'r',
          message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
        }),
        part('b', { type: 'tool_use', id: 't2', name: 'B', input: {} }),
        line({
          type: 'user',
          uuid: 'i',
          message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
        }),
      ].join(''),
    )
    expect(events.at(-1)).toEqual({
      kind: 'run_terminal',
      reason: 'user_abort',
      turns_used: 1,
      total_tokens: 15,
    })
    expect(events.filter((event) => 'usage' in event).length).toBe(1)
  })
})

describe('Codex 0.166.0', () => {
  test('a session that was resumed twice: tools, failures, an API error', async () => {
    const { events, map } = await imported('codex', log('codex-0.166.0'))
    expect(kinds(events)).toBe(
      [
        'run_started llm_completed tool_requested tool_completed llm_completed tool_requested tool_completed llm_completed run_terminal',
        'run_started llm_completed tool_requested tool_completed llm_completed run_terminal',
        'run_started run_terminal',
      ].join(' '),
    )
    expect(events[0]).toMatchObject({ goal: 'Look around', system_prompt: 'You are a coding agent.' })
    expect(events[2]).toMatchObject({ calls: [{ name: 'shell' }] })
    expect(events[3]).toMatchObject({ results: [{ output: 'unsupported call: shell', is_error: true }] })
    expect(events[6]).toMatchObject({ results: [{ is_error: true }] })
    expect(events[10]).toMatchObject({ usage: { model: 'gpt-5.1', input_tokens: 120, output_tokens: 30 } })
    expect(events[14]).toMatchObject({
      kind: 'run_terminal',
      reason: 'completed',
      turns_used: 2,
      total_tokens: 360,
    })
    expect(events[16]).toMatchObject({ kind: 'run_terminal', reason: 'error', turns_used: 0 })
    expect(map).toMatchObject({ records: 62, events: 17, duplicates: 0 })
  })

  test('a compaction', async () => {
    const { events } = await imported('codex', log('codex-0.166.0-compacted'))
    expect(kinds(events)).toBe(
      'run_started llm_completed tool_requested tool_completed llm_completed compressed llm_completed run_terminal',
    )
    expect(events[5]).toMatchObject({ summary: 'Summary: we echoed one.', category: 'mm', primitive: 'mm' })
  })

  test('a repeated ordinal with other content keeps both records', async () => {
    const record = (text: string): string =>
      `${JSON.stringify({ timestamp: '2026-01-01T00:00:00Z', ordinal: 1, type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } })}\n`
    expect((await fromText('codex', record('a') + record('b') + record('b'))).map).toMatchObject({
      records: 3,
      duplicates: 1,
      events: 2,
    })
  })
})

describe('OpenAI Agents 0.20.0', () => {
  test.each(['chat', 'responses'])(
    'a trace over %s: two agents, a handoff, a tool that fails',
    async (api) => {
      const { events, map } = await imported('openai-agents', log(`openai-agents-0.20.0-${api}`))
      expect(events[0]).toMatchObject({ kind: 'run_started', goal: 'Weather workflow' })
      expect(events.at(-1)).toMatchObject({ kind: 'run_terminal', reason: 'completed', turns_used: 4 })
      expect(
        events
          .filter((event) => event.kind === 'agent_process_changed')
          .map((event) => `${'role' in event && event.role} ${'state' in event && event.state}`)
          .toSorted(),
      ).toEqual(['Forecaster joined', 'Forecaster running', 'Helper joined', 'Helper running'])
      expect(events.filter((event) => event.kind === 'tool_completed')).toMatchObject([
        { results: [{ output: 'rain in Oslo', is_error: false }] },
        { results: [{ is_error: true }] },
      ])
      expect(map.unmapped.map((row) => row.type).toSorted()).toEqual(['span custom', 'span handoff'])
    },
  )

  test('usage of a chat span is its own, of a response span that of the turn around it', async () => {
    const first = async (api: string): Promise<unknown> =>
      (await imported('openai-agents', log(`openai-agents-0.20.0-${api}`))).events.find(
        (event) => event.kind === 'llm_completed',
      )
    expect(await first('chat')).toMatchObject({
      usage: { input_tokens: 11, output_tokens: 5 },
      message: { tool_calls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
    })
    expect(await first('responses')).toMatchObject({
      usage: { input_tokens: 11, output_tokens: 5 },
      provider_replay: { response_id: expect.any(String) },
    })
  })

  test('the payload of an exporter, and a pretty-printed document', async () => {
    const items = readFileSync(log('openai-agents-0.20.0-chat'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const whole = await imported('openai-agents', log('openai-agents-0.20.0-chat'))
    expect((await fromText('openai-agents', JSON.stringify({ data: items }))).events).toEqual(whole.events)
    expect((await fromText('openai-agents', JSON.stringify({ data: items }, null, 2))).events).toEqual(
      whole.events,
    )
    expect((await fromText('openai-agents', JSON.stringify(items, null, 2))).events).toEqual(whole.events)
  })
})

const logs: [ForeignFormat, string][] = [
  ['claude-code', 'claude-code-2.1.197'],
  ['claude-code', 'claude-code-2.1.197-subagent'],
  ['codex', 'codex-0.166.0'],
  ['codex', 'codex-0.166.0-compacted'],
  ['openai-agents', 'openai-agents-0.20.0-chat'],
  ['openai-agents', 'openai-agents-0.20.0-responses'],
]

describe.each(logs)('%s, %s', (format, name) => {
  const text = readFileSync(log(name), 'utf8')
  const lines = text.trimEnd().split('\n')

  test('is known by what is in it, and every event is valid and carries its category', async () => {
    expect((await openAuditInput(log(name), () => undefined)).format).toBe(format)
    const { events, map } = await imported(format, log(name))
    for (const event of events) expect(JSON.stringify(parseSessionEvent(event))).toContain(event.kind)
    expect(checkRequiredCategories(events, { level: 'strict' }).findings).toEqual([])
    const counted = [...map.kept, ...map.unmapped].reduce((sum, row) => sum + row.count, map.duplicates)
    expect(counted).toBe(map.records)
    expect(map.events).toBe(events.length)
  })

  test('glued lines: the same events, the damage named', async () => {
    const glued = await fromText(format, `${lines[0]}${lines[1]}\n${lines.slice(2).join('\n')}\n`)
    expect(glued.events).toEqual((await imported(format, log(name))).events)
    expect(glued.damage).toEqual(['1 glued 2'])
  })

  test('NUL bytes before a record: the same events, the damage named', async () => {
    const holed = await fromText(
      format,
      [lines[0], `${'\0'.repeat(512)}${lines[1]}`, ...lines.slice(2)].join('\n'),
    )
    expect(holed.events).toEqual((await imported(format, log(name))).events)
    expect(holed.damage).toEqual(['2 nul 1'])
  })

  test('every line twice: the same events, the second ones left out', async () => {
    const whole = await imported(format, log(name))
    const twice = await fromText(format, lines.flatMap((line) => [line, line]).join('\n'))
    expect(twice.events).toEqual(whole.events)
  })

  test('torn at any byte of its end: what is whole is imported, nothing is thrown', async () => {
    const whole = await imported(format, log(name))
    for (const cut of [1, 2, 17, 200, 900]) {
      const torn = await fromText(format, text.slice(0, -cut))
      expect(torn.events.length).toBeLessThanOrEqual(whole.events.length + 1)
      if (cut > 2) expect(torn.damage).toEqual([expect.stringMatching(/ torn 0$/)])
    }
  })
})

describe('tapes', () => {
  test('Harn’s every-kind tape: model calls, processes and the rest by name', async () => {
    const { events, map } = await imported(
      'tape',
      new URL('../fixtures/tape/harn-every-kind.tape', import.meta.url).pathname,
    )
    expect(events[0]).toMatchObject({ kind: 'run_started' })
    expect(map.kept.map((row) => row.type)).toContain('process_spawn')
    expect(map.unmapped.map((row) => row.type)).toContain('clock_read')
    for (const event of events) parseSessionEvent(event)
  })

  test('a tape of our own: header, streamed and whole answers, a process, an MCP call, the seal', async () => {
    const path = join(tempFolder(), 'run.tape')
    const record = (seq: number, kind: object): string =>
      JSON.stringify({
        type: 'record',
        seq,
        phase: 'user_script',
        virtual_time_ms: 1767225600000 + seq,
        monotonic_ms: seq,
        kind,
      })
    const hash = '0'.repeat(64)
    const inline = (text: string): object => ({ form: 'inline', content_hash: hash, text })
    const sse = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_start',
      'content_block_delta',
      'message_delta',
    ]
      .map(
        (type, at) =>
          `data: ${JSON.stringify({ type, index: at < 3 ? 0 : 1, message: { usage: { input_tokens: 7 } }, content_block: at === 3 ? { type: 'tool_use', id: 't', name: 'read', input: {} } : { type: 'text', text: '' }, delta: at === 4 ? { partial_json: '{"path":"a"}' } : { text: 'Reading.' }, usage: { output_tokens: 3 } })}\n\n`,
      )
      .join('')
    const lines = [
      JSON.stringify({
        type: 'header',
        version: 1,
        harn_version: 'reprise/0.1.0',
        started_at_unix_ms: 1767225600000,
        script_path: 'agent.mjs',
        argv: [],
        command: ['node', 'agent.mjs'],
      }),
      record(0, { kind: 'clock_read', source: 'wall', value_ms: 1 }),
      record(1, { kind: 'llm_call', request_digest: hash, response: inline(sse), model: 'claude' }),
      record(2, {
        kind: 'process_spawn',
        program: 'ls',
        args: ['-l'],
        cwd: null,
        exit_code: 2,
        duration_ms: 1,
        stdout_payload: inline(''),
        stderr_payload: inline('no such file'),
      }),
      record(3, {
        kind: 'llm_call',
        request_digest: hash,
        response: inline(
          JSON.stringify({
            choices: [{ message: { content: 'Done.' } }],
            usage: { prompt_tokens: 4, completion_tokens: 2 },
          }),
        ),
        model: 'gpt',
      }),
      record(4, {
        kind: 'tape_seal',
        records: 4,
        chain: hash,
        boundaries: {},
        exit: { code: 0, signal: null },
        stdout: null,
        stderr: null,
      }),
    ]
    writeFileSync(path, `${lines.join('\n')}\n`)
    const { events, map } = await imported('tape', path)
    expect(events).toMatchObject([
      { kind: 'run_started', goal: 'node agent.mjs' },
      {
        kind: 'llm_completed',
        turn: 0,
        message: {
          content: 'Reading.',
          tool_calls: [{ id: 't', name: 'read', arguments: { path: 'a' } }],
          token_count: 3,
        },
        usage: { model: 'claude', input_tokens: 7 },
      },
      { kind: 'tool_requested', calls: [{ id: 't' }] },
      { kind: 'tool_requested', calls: [{ id: 'record-2', name: 'ls', arguments: { args: ['-l'] } }] },
      { kind: 'tool_completed', results: [{ call_id: 'record-2', output: 'no such file', is_error: true }] },
      {
        kind: 'llm_completed',
        turn: 1,
        message: { content: 'Done.' },
        usage: { model: 'gpt', input_tokens: 4, output_tokens: 2 },
      },
      { kind: 'run_terminal', reason: 'completed', turns_used: 2, total_tokens: 16 },
    ])
    expect(map.unmapped).toEqual([{ type: 'clock_read', reason: 'no session event matches it', count: 1 }])
  })
})
