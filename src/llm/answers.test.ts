import { describe, expect, test } from 'vitest'
import type { Json } from '../base/index.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { LlmApi } from './api.ts'
import { answerDocuments } from './documents.ts'
import { gemini } from './gemini.ts'
import { ollama } from './ollama.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { responseJson } from './response-json.ts'

const sse = (...events: readonly Json[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const lines = (...documents: readonly Json[]): string =>
  documents.map((document) => `${JSON.stringify(document)}\n`).join('')

const chunk = (delta: Json, more: object = {}): Json => ({
  object: 'chat.completion.chunk',
  model: 'gpt',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})

/**
 * Each API says the same in its own way: it thinks, says a word, asks for the weather in Oslo, and counts.
 */
const SAME = {
  text: 'Hei!',
  tool_calls: [{ id: 'call_1', type: 'tool_call', name: 'weather', arguments: { city: 'Oslo' } }],
  input_tokens: 11,
  output_tokens: 7,
  cache_read_tokens: 4,
  cache_write_tokens: 0,
  provider: 'x',
  thinking: 'hm',
  thinking_summary: null,
  logprobs: [],
}

const rows: readonly (readonly [name: string, api: LlmApi, body: string, expected: object])[] = [
  [
    'openai chat, whole',
    openaiChat,
    JSON.stringify({
      object: 'chat.completion',
      model: 'gpt',
      choices: [
        {
          index: 0,
          message: {
            content: 'Hei!',
            reasoning_content: 'hm',
            tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
    }),
    { model: 'gpt', stop_reason: 'tool_calls' },
  ],
  [
    'openai chat, streamed',
    openaiChat,
    `${sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'hm' }),
      chunk({ content: 'He' }),
      chunk({ content: 'i!' }),
      chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'weather', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
      chunk({}, { finish_reason: 'tool_calls' }),
      {
        object: 'chat.completion.chunk',
        model: 'gpt',
        choices: [],
        usage: { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
      },
    )}data: [DONE]\n\n`,
    { model: 'gpt', stop_reason: 'tool_calls' },
  ],
  [
    'anthropic, whole',
    anthropicMessages,
    JSON.stringify({
      type: 'message',
      model: 'claude',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'Hei!' },
        { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
      ],
      usage: {
        input_tokens: 11,
        output_tokens: 7,
        cache_read_input_tokens: 4,
        cache_creation_input_tokens: 9,
      },
    }),
    { model: 'claude', stop_reason: 'tool_use', cache_write_tokens: 9 },
  ],
  [
    'anthropic, streamed',
    anthropicMessages,
    sse(
      {
        type: 'message_start',
        message: {
          model: 'claude',
          usage: {
            input_tokens: 11,
            output_tokens: 1,
            cache_read_input_tokens: 4,
            cache_creation_input_tokens: 9,
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'ping' },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hei' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: '!' } },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'input_json_delta', partial_json: '{"city":' },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '"Oslo"}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ),
    { model: 'claude', stop_reason: 'tool_use', cache_write_tokens: 9 },
  ],
  [
    'gemini, whole',
    gemini,
    JSON.stringify({
      modelVersion: 'gemini-x',
      candidates: [
        {
          content: {
            parts: [
              { text: 'hm', thought: true },
              { text: 'Hei!' },
              { functionCall: { id: 'call_1', name: 'weather', args: { city: 'Oslo' } } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: 11,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 2,
        cachedContentTokenCount: 4,
      },
    }),
    { model: 'gemini-x', stop_reason: 'STOP' },
  ],
  [
    'gemini, streamed, with carriage returns',
    gemini,
    sse(
      { modelVersion: 'gemini-x', candidates: [{ content: { parts: [{ text: 'hm', thought: true }] } }] },
      { candidates: [{ content: { parts: [{ text: 'He' }] } }] },
      {
        candidates: [
          {
            content: {
              parts: [
                { text: 'i!' },
                { functionCall: { id: 'call_1', name: 'weather', args: { city: 'Oslo' } } },
              ],
            },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: {
          promptTokenCount: 11,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 2,
          cachedContentTokenCount: 4,
        },
      },
    ).replaceAll('\n', '\r\n'),
    { model: 'gemini-x', stop_reason: 'STOP' },
  ],
  [
    'ollama chat, streamed',
    ollama,
    lines(
      { model: 'llama', message: { role: 'assistant', content: '', thinking: 'hm' }, done: false },
      { model: 'llama', message: { role: 'assistant', content: 'Hei!' }, done: false },
      {
        model: 'llama',
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: { city: 'Oslo' } } }],
        },
        done: false,
      },
      {
        model: 'llama',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: 11,
        eval_count: 7,
      },
    ),
    { model: 'llama', stop_reason: 'stop', cache_read_tokens: 0 },
  ],
]

describe('reads the same out of every API', () => {
  test.each(rows)('%s', (_name, api, body, expected) => {
    const answer = api.read(answerDocuments(body))
    const json = responseJson(answer, answer.model, 'x')
    expect(JSON.parse(json)).toMatchObject({ ...SAME, ...expected })
    expect(answer).toMatchObject({ complete: true, error: null })
    expect(Object.keys(JSON.parse(json)).join()).toBe(
      'text,tool_calls,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,model,provider,thinking,thinking_summary,stop_reason,blocks,logprobs',
    )
    expect(JSON.parse(json).blocks.map((block: { type: string }) => block.type)).toEqual([
      'reasoning',
      'output_text',
      'tool_call',
    ])
  })

  const response = {
    object: 'response',
    model: 'gpt',
    status: 'completed',
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'in short' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Hei!' }] },
      { type: 'function_call', id: 'fc', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    ],
    usage: { input_tokens: 11, output_tokens: 7, input_tokens_details: { cached_tokens: 4 } },
  }
  const events: readonly Json[] = [
    { type: 'response.created', response: { model: 'gpt', status: 'in_progress', output: [] } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'in short' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'He' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'i!' },
    {
      type: 'response.output_item.added',
      output_index: 2,
      item: { type: 'function_call', id: 'fc', call_id: 'call_1', name: 'weather', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"city":"Oslo"}' },
  ]
  const expected = { text: 'Hei!', tool_calls: SAME.tool_calls, thinking: null, thinking_summary: 'in short' }

  test('openai responses: whole, streamed, and cut before its last event', () => {
    const read = (text: string) => openaiResponses.read(answerDocuments(text))
    const whole = read(JSON.stringify(response))
    expect(JSON.parse(responseJson(whole, 'gpt', 'x'))).toMatchObject({
      ...expected,
      input_tokens: 11,
      output_tokens: 7,
      cache_read_tokens: 4,
      stop_reason: 'completed',
    })
    expect(read(sse(...events, { type: 'response.completed', response }))).toEqual(whole)
    const cut = read(sse(...events))
    expect(JSON.parse(responseJson(cut, 'gpt', 'x'))).toMatchObject({ ...expected, stop_reason: null })
    expect(cut.complete).toBe(false)
  })
})

test('of a cut stream what has come is told, and that it is not whole', () => {
  const cut = `${sse(chunk({ content: 'He' }), chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"ci' } }] }))}data: {"choices":[{"del`
  const answer = openaiChat.read(answerDocuments(cut))
  expect(answer).toMatchObject({
    complete: false,
    blocks: [
      { type: 'text', text: 'He' },
      { type: 'tool_call', call: { name: 'f', arguments: '{"ci' } },
    ],
  })
})

test('an error in the midst of a stream is the answer’s error', () => {
  const broken = sse(
    { type: 'message_start', message: { model: 'claude' } },
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  )
  expect(anthropicMessages.read(answerDocuments(broken))).toMatchObject({
    complete: false,
    error: { type: 'overloaded_error' },
  })
  expect(ollama.read(answerDocuments('{"error":"no such model"}'))).toMatchObject({
    error: { message: 'no such model' },
  })
})

test('hostile shapes are read as nothing', () => {
  for (const text of [
    '',
    'null',
    '[]',
    '[null,1]',
    '{}',
    '{"choices":{}}',
    '{"choices":[null,{"delta":7}]}',
    'data: 1\n\n',
    '<html>',
    '{"content":{"a":1},"type":"message"}',
    '{"output":[{"content":"x"}]}',
  ]) {
    for (const api of [openaiChat, openaiResponses, anthropicMessages, gemini, ollama])
      expect(api.read(answerDocuments(text)).blocks).toEqual([])
  }
})
