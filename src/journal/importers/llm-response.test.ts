import { describe, expect, test } from 'vitest'
import { readAnswer, usageOf } from './llm-response.ts'

const CALL = { id: 'c', name: 'read', arguments: { path: 'a' } }

function counts(input: number, output: number): object {
  return { input_tokens: input, output_tokens: output, cache_read_tokens: 0, cache_write_tokens: 0 }
}

function events(...documents: object[]): string {
  return documents.map((document) => `data: ${JSON.stringify(document)}\n\n`).join('')
}

describe('readAnswer', () => {
  const chatCall = { id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }
  const chatUsage = { prompt_tokens: 4, completion_tokens: 2 }
  test.each([
    ['our own form', JSON.stringify({ text: 'Hi', tool_calls: [CALL], input_tokens: 4 }), null],
    [
      'OpenAI chat',
      JSON.stringify({ choices: [{ message: { content: 'Hi', tool_calls: [chatCall] } }], usage: chatUsage }),
      counts(4, 2),
    ],
    [
      'OpenAI chat with arguments that are no text',
      JSON.stringify({
        choices: [
          {
            message: {
              content: 'Hi',
              tool_calls: [{ id: 'c', function: { name: 'read', arguments: { path: 'a' } } }],
            },
          },
        ],
      }),
      null,
    ],
    [
      'OpenAI chat, streamed and cut',
      `${events(
        { choices: [{ index: 0, delta: { content: 'H' } }] },
        {
          choices: [
            {
              index: 0,
              delta: {
                content: 'i',
                tool_calls: [{ index: 0, id: 'c', function: { name: 'read', arguments: '{"path"' } }],
              },
            },
          ],
        },
        {
          choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ':"a"}' } }] } }],
          usage: chatUsage,
        },
      )}data: {"choi`,
      counts(4, 2),
    ],
    [
      'OpenAI responses without a type',
      JSON.stringify({
        output: [
          { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
          { type: 'function_call', call_id: 'c', name: 'read', arguments: '{"path":"a"}' },
        ],
        usage: { input_tokens: 4, output_tokens: 2 },
      }),
      counts(4, 2),
    ],
    [
      'Anthropic without a type',
      JSON.stringify({
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'tool_use', id: 'c', name: 'read', input: { path: 'a' } },
        ],
        usage: { input_tokens: 4, output_tokens: 2 },
      }),
      counts(4, 2),
    ],
    [
      'Ollama without its end',
      JSON.stringify({
        message: {
          content: 'Hi',
          tool_calls: [{ id: 'c', function: { name: 'read', arguments: { path: 'a' } } }],
        },
      }),
      null,
    ],
  ])('reads %s', (_name, text, usage) => {
    expect(readAnswer(text)).toEqual({ content: 'Hi', calls: [CALL], usage })
  })

  test('reads Gemini, whose calls have no id', () => {
    const parts = [{ text: 'Hi' }, { functionCall: { name: 'read', args: { path: 'a' } } }]
    const body = {
      candidates: [{ content: { parts } }],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2 },
    }
    expect(readAnswer(JSON.stringify(body))).toEqual({
      content: 'Hi',
      calls: [{ ...CALL, id: '' }],
      usage: counts(4, 2),
    })
  })

  test.each(['plain text', '', '[1, 2]', '{"other": true}', 'data: [DONE]\n\n'])(
    'keeps %j as its text',
    (text) => {
      expect(readAnswer(text)).toEqual({ content: text, calls: [], usage: null })
    },
  )
})

describe('usageOf', () => {
  const tokens = { input_tokens: 4, output_tokens: 2 }
  test.each([
    ['our own names', { cache_read_tokens: 3, cache_write_tokens: 1 }],
    ['names of Anthropic', { cache_read_input_tokens: 3, cache_creation_input_tokens: 1 }],
  ])('reads cached tokens under %s', (_name, cached) => {
    expect(usageOf({ ...tokens, ...cached })).toEqual({
      ...tokens,
      cache_read_tokens: 3,
      cache_write_tokens: 1,
    })
  })

  test.each([undefined, null, 'many', [1]])('returns null for %j', (usage) => {
    expect(usageOf(usage)).toBeNull()
  })
})
