import { describe, expect, test } from 'vitest'
import type { Json } from '../../../base/index.ts'
import { diffServers } from './diff-servers.ts'
import { changeSentence } from './sentences.ts'

const call = (method: string, params: Json, response: object, server = 's') => ({
  server,
  method,
  notification: false,
  request: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  response: JSON.stringify({ jsonrpc: '2.0', id: 1, ...response }),
  latencyMs: 0,
})
const listed = (list: string, offers: readonly Json[], params: Json = {}) =>
  call(list === 'resourceTemplates' ? 'resources/templates/list' : `${list}/list`, params, {
    result: { [list]: offers },
  })
const lines = (a: Parameters<typeof diffServers>[0], b: Parameters<typeof diffServers>[0]): string[] =>
  diffServers(a, b).changes.map(changeSentence)

const echo = {
  name: 'echo',
  description: 'says it again',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}

describe('tools', () => {
  test('the same', () => {
    expect(diffServers([listed('tools', [echo])], [listed('tools', [echo])])).toMatchObject({
      same: true,
      breaking: false,
      changes: [],
    })
  })
  test('come, gone, renamed', () => {
    expect(
      lines(
        [listed('tools', [echo, { name: 'old' }])],
        [listed('tools', [{ ...echo, name: 'repeat' }, { name: 'new' }])],
      ),
    ).toEqual(['tool echo renamed to repeat [breaking]', 'tool old removed [breaking]', 'tool new added'])
  })
  test('inside', () => {
    const now = {
      ...echo,
      description: 'says it twice',
      annotations: { readOnlyHint: true },
      outputSchema: {},
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string' }, times: { type: 'integer' } },
        required: ['times'],
      },
    }
    expect(lines([listed('tools', [echo])], [listed('tools', [now])])).toEqual([
      'tool echo: $.description changed: "says it again" -> "says it twice"',
      'tool echo: $.inputSchema.properties.times added: {"type":"integer"}',
      'tool echo: $.inputSchema.required added: "times" [breaking]',
      'tool echo: $.annotations added: {"readOnlyHint":true}',
      'tool echo: $.outputSchema added: {}',
    ])
  })
  test('pages are one listing, and the last listing counts', () => {
    const pages = [listed('tools', [{ name: 'a' }]), listed('tools', [{ name: 'b' }], { cursor: 'x' })]
    expect(
      lines(
        [listed('tools', [{ name: 'gone before' }]), ...pages],
        [listed('tools', [{ name: 'a' }, { name: 'b' }])],
      ),
    ).toEqual([])
  })
})

test('prompts, resources, templates, capabilities, greeting', () => {
  const greet = (capabilities: Json, version: string) =>
    call(
      'initialize',
      { protocolVersion: 'x' },
      { result: { serverInfo: { name: 's', version }, capabilities } },
    )
  const a = [
    greet({ tools: { listChanged: true }, logging: {} }, '1'),
    listed('prompts', [{ name: 'p', arguments: [{ name: 'x' }] }]),
    listed('resources', [{ uri: 'file:///a', mimeType: 'text/plain' }]),
    listed('resourceTemplates', [{ uriTemplate: 'file:///{a}' }]),
  ]
  const b = [
    greet({ tools: {}, prompts: {} }, '2'),
    listed('prompts', [{ name: 'p', arguments: [{ name: 'x', required: true }, { name: 'y' }] }]),
    listed('resources', [{ uri: 'file:///a', mimeType: 'text/html' }]),
    listed('resourceTemplates', []),
  ]
  expect(lines(a, b)).toEqual([
    'server: $.serverInfo.version changed: "1" -> "2"',
    'capability tools: $.tools.listChanged removed: true [breaking]',
    'capability logging: $.logging removed: {} [breaking]',
    'capability prompts: $.prompts added: {}',
    'prompt p: $.arguments.x changed: {"name":"x"} -> {"name":"x","required":true} [breaking]',
    'prompt p: $.arguments.y added: {"name":"y"}',
    'resource file:///a: $.mimeType changed: "text/plain" -> "text/html" [breaking]',
    'resource template file:///{a} removed [breaking]',
  ])
})

describe('answers', () => {
  const add = (a: number, result: object) => call('tools/call', { name: 'add', arguments: { a } }, result)
  test('to equal calls, each with its own turn', () => {
    expect(
      lines(
        [add(1, { result: { n: 1 } }), add(1, { result: { n: 2 } })],
        [add(1, { result: { n: 1 } }), add(1, { result: { n: 3 } })],
      ),
    ).toEqual(['answer to tools/call add (2 of 2): $.result.n changed: 2 -> 3'])
  })
  test('an error where there was none breaks', () => {
    expect(diffServers([add(1, { result: 1 })], [add(1, { error: { code: -1 } })])).toMatchObject({
      breaking: true,
    })
  })
  test('a call that only one run made is counted, not held against the server', () => {
    expect(diffServers([add(1, { result: 1 })], [add(2, { result: 1 })])).toMatchObject({
      same: true,
      calls: { compared: 0, only_in_a: 1, only_in_b: 1 },
    })
  })
})

test('several servers are paired by name', () => {
  const of = (server: string) => call('ping', {}, { result: {} }, server)
  expect(lines([of('a'), of('b')], [of('b'), of('c')])).toEqual(['server removed [breaking]', 'server added'])
  expect(diffServers([of('a')], [of('z')])).toMatchObject({ same: true, servers: ['a'] })
})

test('a listing that only one run shows is told', () => {
  expect(diffServers([listed('tools', [])], [call('ping', {}, { result: {} })])).toMatchObject({
    same: true,
    not_compared: [{ server: 's', area: 'tool' }],
  })
})

test('answers of any type are survived', () => {
  for (const result of [null, 5, 'x', [], { tools: 5 }, { tools: [null, { name: 5 }] }]) {
    expect(() =>
      diffServers([call('tools/list', null, { result })], [call('tools/list', {}, { result: {} })]),
    ).not.toThrow()
  }
})
