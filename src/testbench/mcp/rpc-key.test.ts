import { describe, expect, test } from 'vitest'
import { messagesOf, type RpcMessage } from './json-rpc.ts'
import { rpcKey, rpcSubject } from './rpc-key.ts'

const message = (text: string): RpcMessage => {
  const [first] = messagesOf(text) ?? []
  if (first === undefined) throw new Error(`no message: ${text}`)
  return first
}
const call = (params: string, id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`

describe('equal', () => {
  test.each([
    ['another id', call('{"a":1}'), call('{"a":1}', '"x"')],
    ['another order of keys', call('{"a":1,"b":2}'), call('{"b":2,"a":1}')],
    [
      'another progress token',
      call('{"a":1,"_meta":{"progressToken":1}}'),
      call('{"_meta":{"progressToken":"t"},"a":1}'),
    ],
    ['no progress token', call('{"a":1,"_meta":{"progressToken":1}}'), call('{"a":1}')],
    [
      'a placeholder with another length',
      call('{"k":"<redacted:token:12>"}'),
      call('{"k":"<redacted:token:40>"}'),
    ],
  ])('%s', (_what, a, b) => {
    expect(rpcKey(message(a))).toBe(rpcKey(message(b)))
  })
})

describe('different', () => {
  test.each([
    ['another argument', call('{"a":1}'), call('{"a":2}')],
    ['a number that is spelled otherwise', call('{"a":1}'), call('{"a":1.0}')],
    [
      'more in _meta',
      call('{"_meta":{"progressToken":1,"trace":"x"}}'),
      call('{"_meta":{"progressToken":1}}'),
    ],
    ['another method', call('{}'), call('{}').replace('tools/call', 'tools/list')],
    ['the id of an answer', '{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":2,"result":{}}'],
    [
      'another call is cancelled',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}',
    ],
  ])('%s', (_what, a, b) => {
    expect(rpcKey(message(a))).not.toBe(rpcKey(message(b)))
  })
})

test('a call that goes by another id is cancelled under that id', () => {
  const cancelled = (id: string): RpcMessage =>
    message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`)
  expect(rpcKey(cancelled('"mine"'), { recordedId: () => 1 })).toBe(rpcKey(cancelled('1')))
})

test('a message in a few words', () => {
  expect(rpcSubject(message(call('{"name":"echo"}')))).toBe('tools/call echo')
  expect(rpcSubject(message(call('{"name":"a b\\u001b[2J"}')))).toBe('tools/call')
  expect(rpcSubject(message('{"jsonrpc":"2.0","id":"s-1","error":{}}'))).toBe('answer s-1')
})

test.each([
  '',
  '5',
  '[]',
  '[5]',
  '{}',
  '{"jsonrpc":"1.0","id":1,"method":"x"}',
  '{"jsonrpc":"2.0","id":{},"method":"x"}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","id":[1],"result":1}',
  '[{"jsonrpc":"2.0","id":1,"method":"x"},5]',
])('%s is no message', (text) => {
  expect(messagesOf(text)).toBe(null)
})

test('a batch gives each message with its own text', () => {
  expect(
    (messagesOf('[{"jsonrpc":"2.0","method":"a","x":1.0}, {"jsonrpc":"2.0","id":1,"result":2}]') ?? []).map(
      ({ type, text }) => [type, text],
    ),
  ).toEqual([
    ['notification', '{"jsonrpc":"2.0","method":"a","x":1.0}'],
    ['response', '{"jsonrpc":"2.0","id":1,"result":2}'],
  ])
})

test('a message nested without end is survived', () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  expect(() => rpcKey(message(call(`{"a":${deep}}`)))).not.toThrow()
})
