/**
 * Records in full: conversations of every API, requests stored as differences, streams, exchanges, processes,
 * files.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DetailView } from '../../src/viewer/protocol.ts'
import { conversationOf } from '../../src/viewer/read/llm/messages.ts'
import { streamPieces } from '../../src/viewer/read/llm/stream.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { openTapeView } from './indexed-tape.ts'

const HEADER =
  '{"type":"header","version":1,"harn_version":"reprise/0.1.0","started_at_unix_ms":null,"script_path":null,"argv":[],"producer":{"name":"reprise","version":"0.0.9"}}'
const inline = (text: string): object => ({ content_hash: '0'.repeat(64), text })
const answer = (text: string): object =>
  inline(
    JSON.stringify({
      text,
      tool_calls: [],
      input_tokens: 7,
      output_tokens: 3,
      model: 'm',
      stop_reason: 'stop',
    }),
  )

async function viewOf(kinds: readonly object[]) {
  const path = join(tempFolder(), 'run.tape')
  const lines = kinds.map((kind, seq) =>
    JSON.stringify({
      type: 'record',
      seq,
      phase: 'user_script',
      virtual_time_ms: 1000 + seq * 10,
      monotonic_ms: seq * 10,
      kind,
    }),
  )
  writeFileSync(path, `${[HEADER, ...lines].join('\n')}\n`)
  return (await openTapeView(path)).view
}

async function detail(kinds: readonly object[], row: number): Promise<DetailView> {
  return (await (await viewOf(kinds)).details(row)).view
}

describe('a conversation', () => {
  const call = { type: 'tool_call', id: 'c1', name: 'add', arguments: '{"a":1}' }
  const result = { type: 'tool_result', id: 'c1', name: null, text: '2', error: false }
  const text = (content: string): object => ({ type: 'text', text: content })

  test.each([
    [
      'OpenAI chat',
      {
        model: 'gpt',
        messages: [
          { role: 'system', content: 'be kind' },
          { role: 'user', content: [{ type: 'text', text: 'add' }] },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: '2' },
        ],
        tools: [
          {
            type: 'function',
            function: { name: 'add', description: 'adds', parameters: { type: 'object' } },
          },
        ],
      },
    ],
    [
      'OpenAI responses',
      {
        model: 'gpt',
        instructions: 'be kind',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'add' }] },
          { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{"a":1}' },
          { type: 'function_call_output', call_id: 'c1', output: '2' },
        ],
        tools: [{ type: 'function', name: 'add', description: 'adds', parameters: { type: 'object' } }],
      },
    ],
    [
      'Anthropic',
      {
        model: 'claude',
        system: 'be kind',
        messages: [
          { role: 'user', content: 'add' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '2' }] }],
          },
        ],
        tools: [{ name: 'add', description: 'adds', input_schema: { type: 'object' } }],
      },
    ],
  ])('of %s has system, messages, tool calls with results, and tools', (_, body) => {
    const conversation = conversationOf(body)
    expect(conversation.system).toEqual([text('be kind')])
    expect(conversation.messages.flatMap(({ parts }) => parts)).toEqual([text('add'), call, result])
    expect(conversation.tools).toEqual([{ name: 'add', description: 'adds', schema: '{"type":"object"}' }])
    expect(conversation.options.map(({ name }) => name)).toEqual(['model'])
  })

  test('of Gemini has its parts', () => {
    const conversation = conversationOf({
      systemInstruction: { parts: [{ text: 'be kind' }] },
      contents: [
        { role: 'user', parts: [{ text: 'add' }] },
        {
          role: 'model',
          parts: [{ text: 'hm', thought: true }, { functionCall: { id: 'c1', name: 'add', args: { a: 1 } } }],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'add', response: { sum: 2 } } }] },
      ],
      tools: [
        { functionDeclarations: [{ name: 'add', description: 'adds', parameters: { type: 'object' } }] },
      ],
    })
    expect(conversation.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(conversation.messages.flatMap(({ parts }) => parts).map(({ type }) => type)).toEqual([
      'text',
      'thinking',
      'tool_call',
      'tool_result',
    ])
    expect(conversation.tools).toMatchObject([{ name: 'add' }])
  })

  test.each([
    {},
    { messages: null },
    { messages: [1, null, 'x', { role: 5, content: 7 }] },
    { contents: [{}] },
  ])('of an unknown shape is shown as far as it goes: %j', (body) => {
    expect(() => conversationOf(body)).not.toThrow()
  })
})

test('a streamed answer is text with times, also where a chunk ends inside an event or a character', () => {
  const bytes = (content: string): Uint8Array => new TextEncoder().encode(content)
  const event = bytes(
    'data: {"choices":[{"delta":{"content":"né"}}]}\n\ndata: {"choices":[{"delta":{"content":"xt"}}]}\n\ndata: [DONE]\n\n',
  )
  const chunks = [event.subarray(0, 41), event.subarray(41, 60), event.subarray(60)].map((part, at) => ({
    afterMs: at * 10,
    bytes: part,
  }))
  expect(streamPieces(chunks)).toEqual([
    { afterMs: 10, channel: 'text', text: 'né' },
    { afterMs: 20, channel: 'text', text: 'xt' },
  ])
})

test.each([
  ['data: {"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"a"}}\n', 'thinking'],
  ['data: {"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"a"}}\n', 'tool'],
  ['data: {"type":"response.output_text.delta","delta":"a"}\n', 'text'],
  ['data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\n', 'text'],
  ['{"message":{"role":"assistant","content":"a"}}\n', 'text'],
])('a stream of another API: %s', (line, channel) => {
  expect(streamPieces([{ afterMs: 0, bytes: new TextEncoder().encode(line) }])).toEqual([
    { afterMs: 0, channel, text: 'a' },
  ])
})

test('a request that is stored as differences is shown whole, with what it shares with the one before', async () => {
  const message = (content: string): object => ({ role: 'user', content })
  const digest = '0'.repeat(64)
  const view = await detail(
    [
      {
        kind: 'llm_call',
        request_digest: digest,
        response: answer('one'),
        request: { model: 'm', messages: [message('a')] },
      },
      {
        kind: 'llm_call',
        request_digest: digest,
        response: answer('two'),
        request: { base: 0, keep: 1, append: [message('b')] },
      },
      {
        kind: 'llm_call',
        request_digest: digest,
        response: answer('three'),
        request: { base: 1, keep: 2, append: [message('c')], set: { model: 'n' } },
      },
    ],
    2,
  )
  expect(view).toMatchObject({
    type: 'llm',
    turn: 3,
    previousRow: 1,
    messagesKept: 2,
    answer: [{ type: 'text', text: 'three' }],
    usage: { inputTokens: 7, outputTokens: 3, costUsd: null },
  })
  if (view.type !== 'llm') throw new Error('not a call')
  expect(view.request?.messages.map(({ parts }) => parts)).toEqual([
    [{ type: 'text', text: 'a' }],
    [{ type: 'text', text: 'b' }],
    [{ type: 'text', text: 'c' }],
  ])
  expect(view.request?.options).toEqual([{ name: 'model', json: '"n"' }])
})

test.each([
  { base: 0, keep: 1, append: [] },
  { base: 5, keep: 1, append: [] },
  'text',
  7,
  [],
  { base: -1, keep: 1, append: [] },
])('a request that leads nowhere is null, not an error: %j', async (request) => {
  expect(
    await detail([{ kind: 'llm_call', request_digest: '0'.repeat(64), response: answer('x'), request }], 0),
  ).toMatchObject({ type: 'llm', request: null })
})

test('an exchange has its streamed body, its duration, and the call that was made of it', async () => {
  const kinds = [
    {
      kind: 'effect_start',
      id: 4,
      boundary: 'network',
      key: 'POST https://a/v1',
      request: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    },
    {
      kind: 'http_exchange',
      id: 4,
      method: 'POST',
      url: 'https://a/v1',
      request_headers: [['a', 'b']],
      status: 200,
      response_headers: [],
    },
    {
      kind: 'stream_chunk',
      of: 4,
      n: 0,
      direction: 'in',
      data: { text: 'data: {"choices":[{"delta":{"content":"he"}}]}\n\n' },
    },
    { kind: 'clock_read', source: 'wall', value_ms: 1 },
    {
      kind: 'stream_chunk',
      of: 4,
      n: 1,
      direction: 'in',
      data: { text: 'data: {"choices":[{"delta":{"content":"y"}}]}\n\n' },
    },
    { kind: 'stream_end', of: 4, error: null },
    { kind: 'llm_call', request_digest: '0'.repeat(64), response: answer('hey'), wire: 4 },
  ]
  const view = await viewOf(kinds)
  expect((await view.details(1)).view).toMatchObject({
    type: 'http',
    status: 200,
    requestHeaders: [['a', 'b']],
    requestBody: { form: 'text', text: '{"model":"m","messages":[{"role":"user","content":"hi"}]}' },
    responseBody: { form: 'text', text: expect.stringContaining('"he"') },
    meaningRow: 6,
  })
  const call = await view.details(6)
  expect(call.row).toMatchObject({ lane: 'llm', durationMs: 60, effectRow: 0 })
  expect(call.related.map(({ row }) => row)).toEqual([0, 1, 2, 4, 5, 6])
  expect(call.view).toMatchObject({
    stream: [
      { afterMs: 20, text: 'he' },
      { afterMs: 40, text: 'y' },
    ],
    request: { messages: [{ role: 'user' }] },
  })
  expect((await view.rows({ filter: { effectRow: 0 }, from: 0, count: 10 })).total).toBe(6)
  const notable = await view.rows({ filter: { notable: true }, from: 0, count: 10 })
  expect(notable.rows.map(({ kind }) => kind)).toEqual(['llm_call'])
})

test('a file is shown with its previous content, a deleted one as empty', async () => {
  const file = (kind: string, text?: string): object => ({
    kind,
    path: 'a.md',
    content_hash: 'x',
    len_bytes: 1,
    ...(text === undefined ? {} : { payload: inline(text) }),
  })
  const view = await viewOf([
    file('file_read', 'one'),
    file('file_write', 'two'),
    { kind: 'file_delete', path: 'a.md' },
    file('file_write', 'three'),
  ])
  const previous = async (row: number) => {
    const details = (await view.details(row)).view
    return details.type === 'file' ? details.previous : undefined
  }
  expect(await previous(0)).toBeNull()
  expect(await previous(1)).toEqual({ row: 0, content: { form: 'text', text: 'one' } })
  expect(await previous(3)).toEqual({ row: 2, content: { form: 'text', text: '' } })
  expect((await view.overview()).files.items).toEqual([
    { path: 'a.md', writes: 2, deleted: false, row: 3, sizeBytes: 1 },
  ])
})
