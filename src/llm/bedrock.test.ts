/** Answers of Bedrock: the binary event stream, whole answers, and exceptions. */
import { expect, test } from 'vitest'
import type { Json } from '../base/index.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { bedrockConverse, converseAnswer } from './bedrock-converse.ts'
import { bodyDocuments } from './documents.ts'

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const header = (name: string, value: string): Buffer =>
  Buffer.concat([
    Buffer.of(name.length),
    Buffer.from(name),
    Buffer.of(7, 0, value.length),
    Buffer.from(value),
  ])
/** Checksums are zero: the reader does not check them. */
const message = (payload: Json, ...headers: readonly (readonly [string, string])[]): Buffer => {
  const head = Buffer.concat(headers.map(([name, value]) => header(name, value)))
  const body = Buffer.from(JSON.stringify(payload))
  return Buffer.concat([
    number(16 + head.length + body.length),
    number(head.length),
    number(0),
    head,
    body,
    number(0),
  ])
}
const event = (type: string, payload: Json): Buffer =>
  message(payload, [':message-type', 'event'], [':event-type', type])

const STREAM = [
  event('messageStart', { role: 'assistant' }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'hm' } } }),
  event('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'He' } }),
  event('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'i, Bjørn!' } }),
  event('contentBlockStart', {
    contentBlockIndex: 2,
    start: { toolUse: { toolUseId: 't1', name: 'weather' } },
  }),
  event('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"city":' } } }),
  event('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '"Oslo"}' } } }),
  event('messageStop', { stopReason: 'tool_use' }),
  event('metadata', { usage: { inputTokens: 11, outputTokens: 7, cacheReadInputTokens: 4 } }),
]

test('a stream of ConverseStream gives text, thinking, tool use and usage', () => {
  expect(bedrockConverse.read(bodyDocuments(Buffer.concat(STREAM)))).toMatchObject({
    blocks: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Hei, Bjørn!' },
      { type: 'tool_call', call: { id: 't1', name: 'weather', arguments: { city: 'Oslo' } } },
    ],
    usage: { input: 11, output: 7, cacheRead: 4, cacheWrite: 0 },
    stopReason: 'tool_use',
    complete: true,
  })
})

test('a stream that is cut in a message gives what came before, and is not complete', () => {
  const cut = Buffer.concat(STREAM.slice(0, 4)).subarray(0, -3)
  expect(bedrockConverse.read(bodyDocuments(cut))).toMatchObject({
    blocks: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'He' },
    ],
    complete: false,
  })
})

test('an exception in the stream is the error of the answer', () => {
  const headers = [
    [':message-type', 'exception'],
    [':exception-type', 'throttlingException'],
  ] as const
  const documents = bodyDocuments(message({ message: 'slow down' }, ...headers))
  expect(bedrockConverse.read(documents).error).toEqual({ type: 'throttlingException', message: 'slow down' })
})

test('a whole answer of Converse, and the same made from a record', () => {
  const recorded = {
    text: 'Hei',
    thinking: null,
    calls: [{ id: 't1', name: 'weather', arguments: { city: 'Oslo' } }],
    model: null,
    stopReason: 'tool_use',
    inputTokens: 3,
    outputTokens: 2,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  }
  const body = Buffer.from(JSON.stringify(converseAnswer(recorded)))
  expect(bedrockConverse.read(bodyDocuments(body))).toMatchObject({
    blocks: [{ text: 'Hei' }, { call: { id: 't1', arguments: { city: 'Oslo' } } }],
    usage: { input: 3, output: 2 },
    stopReason: 'tool_use',
    complete: true,
  })
})

test('the stream of InvokeModel carries the events of the model', () => {
  const part = (document: Json): Buffer =>
    event('chunk', { bytes: Buffer.from(JSON.stringify(document)).toString('base64') })
  const bytes = Buffer.concat([
    part({ type: 'message_start', message: { model: 'claude', usage: { input_tokens: 5 } } }),
    part({ type: 'content_block_delta', index: 0, delta: { text: 'Hei' } }),
    part({ type: 'message_stop' }),
  ])
  expect(anthropicMessages.read(bodyDocuments(bytes))).toMatchObject({
    blocks: [{ type: 'text', text: 'Hei' }],
    model: 'claude',
    complete: true,
  })
})

test.each([
  [
    '/model/anthropic.claude-v1:0/converse-stream',
    { messages: [] },
    bedrockConverse,
    'anthropic.claude-v1:0',
  ],
  ['/model/arn%3Aaws%2Fx/converse', { messages: [] }, bedrockConverse, 'arn:aws/x'],
  ['/model/claude/invoke', { anthropic_version: 'x', messages: [] }, anthropicMessages, 'claude'],
] as const)('%s is recognised', (path, body, api, model) => {
  expect(api.recognises(path, body)).toBe(true)
  expect(api.model(path, body)).toBe(model)
})
