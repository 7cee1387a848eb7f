import { describe, expect, test } from 'vitest'
import { utf8 } from '../base/index.ts'
import { fromDisk } from '../scrub/scrubbed.ts'
import { requestDigest } from './digest.ts'
import { openaiChat } from './openai-chat.ts'
import { providerOf } from './providers.ts'
import { recogniseCall } from './recognise.ts'

const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

const rows: readonly (readonly [api: string | null, url: string, body: object])[] = [
  ['openai-chat', 'https://api.openai.com/v1/chat/completions', chat],
  ['openai-chat', 'http://127.0.0.1:8000/chat/completions', chat],
  [
    'openai-chat',
    'https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1',
    { messages: [] },
  ],
  ['openai-responses', 'https://any.host/v1/responses', { model: 'm', input: 'hi' }],
  ['openai-responses', 'https://any.host/v1/responses/', { model: 'm', input: [] }],
  ['anthropic-messages', 'https://gateway.local/anthropic/v1/messages', { ...chat, max_tokens: 9 }],
  [
    'anthropic-messages',
    'https://h/v1/projects/p/publishers/anthropic/models/claude:streamRawPredict',
    { messages: [], anthropic_version: 'v' },
  ],
  ['gemini', 'https://h/v1beta/models/gemini-x:generateContent', { contents: [] }],
  ['gemini', 'https://h/v1beta/models/gemini-x%3AstreamGenerateContent?alt=sse', { contents: [] }],
  ['ollama', 'http://127.0.0.1:11434/api/chat', chat],
  ['ollama', 'http://127.0.0.1:11434/api/generate', { model: 'm', prompt: 'hi' }],
]

describe('recognises a call by its shape', () => {
  test.each(rows)('%s %s', (api, url, body) => {
    expect(
      recogniseCall({ method: 'POST', url, body: fromDisk<Uint8Array>(utf8(JSON.stringify(body))) })?.api
        ?.name ?? null,
    ).toBe(api)
  })

  test('leaves the API open for a chat under a path of no API', () => {
    expect(
      recogniseCall({
        method: 'POST',
        url: 'https://h/gateway',
        body: fromDisk<Uint8Array>(utf8(JSON.stringify(chat))),
      }),
    ).toMatchObject({
      api: null,
    })
  })

  test.each([
    ['GET', 'https://h/v1/chat/completions', chat],
    ['POST', 'https://h/v1/embeddings', { model: 'm', input: 'hi' }],
    ['POST', 'https://h/v1/messages', { to: 'you', text: 'hi' }],
    ['POST', 'https://h/v1/messages/count_tokens', { model: 'm', contents: [] }],
    ['POST', 'https://h/graphql', { query: '{ messages }' }],
  ] as const)('%s %s is none', (method, url, body) => {
    expect(recogniseCall({ method, url, body: fromDisk<Uint8Array>(utf8(JSON.stringify(body))) })).toBe(null)
  })

  test.each(['', '{', '[1]', '{"a":1', 'text', '\ufeff{}'])(
    'a body that is no JSON object is none: %j',
    (body) => {
      expect(
        recogniseCall({
          method: 'POST',
          url: 'https://h/v1/chat/completions',
          body: fromDisk<Uint8Array>(utf8(body)),
        }),
      ).toBe(null)
    },
  )

  test('a body that printing its value would not give back is not compact', () => {
    const at = (body: string) =>
      recogniseCall({
        method: 'POST',
        url: 'https://h/v1/chat/completions',
        body: fromDisk<Uint8Array>(utf8(body)),
      })?.isCompact
    expect(at('{"model":"m","messages":[]}')).toBe(true)
    for (const body of [
      '{"model":"m", "messages":[]}',
      '{"messages":[],"top_p":1.0}',
      '{"messages":[],"seed":12345678901234567890}',
      '{"messages":[{"10":1,"9":1}]}',
    ]) {
      expect(at(body)).toBe(false)
    }
  })
})

test('the digest is upstream’s: its own vector', () => {
  const body = { messages: [{ role: 'user', content: 'replay test' }], temperature: 0.3, max_tokens: 7 }
  expect(requestDigest(openaiChat.surface(body), 'mock')).toBe(
    '1607d6150c963e65098bea59ce798c9636678073c0bdf512742e8223c11c07af',
  )
  expect(requestDigest(openaiChat.surface({ ...body, tools: [] }), 'mock')).not.toBe(
    '1607d6150c963e65098bea59ce798c9636678073c0bdf512742e8223c11c07af',
  )
})

test('a system message that leads counts as system, wherever the API puts it', () => {
  const led = openaiChat.surface({
    messages: [
      { role: 'system', content: 'brief' },
      { role: 'user', content: 'hi' },
    ],
  })
  expect(led).toMatchObject({
    system: 'brief',
    messages: [{ role: 'user', content: 'hi' }],
    thinking: { mode: 'disabled' },
  })
})

test('a provider is named by a host that is known, else by the shape', () => {
  expect(providerOf('api.groq.com', 'openai')).toBe('groq')
  expect(providerOf('x.openai.azure.com', 'openai')).toBe('azure')
  expect(providerOf('notgroq.com', 'openai')).toBe('openai')
  expect(providerOf('127.0.0.1', 'ollama')).toBe('ollama')
})
