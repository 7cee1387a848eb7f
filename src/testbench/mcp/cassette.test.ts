import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { utf8 } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import { jsonDigest, readMcpCassette, writeMcpCassette } from './cassette.ts'
import { diffServers } from './diff/diff-servers.ts'

const LISTED = `{
  "schema_version": 1,
  "protocol": "mcp-jsonrpc-stdio",
  "interactions": [
    {
      "seq": 0,
      "method": "tools/list",
      "match_digest": "blake3:31236c9755149b6db6f1ee48a340e7899230188f013d6df7aeabd8bc9cd5ead0",
      "request_digest": "blake3:c52451307d61771cc57ef3382f00dccf9d0d08644787b36210dbead3d464906c",
      "response_digest": "blake3:8a73588c527129e5d27e7e2914b33672b86761bc0dab00ada43f22a96210bef1",
      "latency_ms": 3,
      "request": {
        "id": 1,
        "jsonrpc": "2.0",
        "method": "tools/list",
        "params": {}
      },
      "response": {
        "id": 1,
        "jsonrpc": "2.0",
        "result": {
          "tools": []
        }
      }
    },
    {
      "seq": 1,
      "method": "notifications/initialized",
      "notification": true,
      "match_digest": "blake3:258eba7ab03671fef94233bf1cef3ebf122095aca90bb886966c778ae8912e06",
      "request_digest": "blake3:4d6b213da3167c00f9ed8bc9258bf3aff3f6014f1219033cf3be8c27801c5855",
      "response_digest": "blake3:03f88b99c3d8073bba8948d6e762aac443b265f606cc05abd4d172f03a4def6a",
      "latency_ms": 0,
      "request": {
        "jsonrpc": "2.0",
        "method": "notifications/initialized"
      },
      "response": null
    }
  ]
}
`

test("digests are upstream's", () => {
  expect(jsonDigest('{"params":{},"method":"tools/list"}')).toBe(
    'blake3:31236c9755149b6db6f1ee48a340e7899230188f013d6df7aeabd8bc9cd5ead0',
  )
  expect(jsonDigest('{"method":"tools/list","jsonrpc":"2.0","params":{}}')).toBe(
    'blake3:c52451307d61771cc57ef3382f00dccf9d0d08644787b36210dbead3d464906c',
  )
})

test('what is written is what upstream writes, byte for byte', () => {
  const { interactions, wrongDigests } = readMcpCassette(utf8(LISTED), 'x')
  expect(wrongDigests).toEqual([])
  expect(writeMcpCassette(interactions)).toBe(LISTED)
})

test('a digest that is not of what stands there is told', () => {
  expect(readMcpCassette(utf8(LISTED.replace('"tools": []', '"tools": [1]')), 'x').wrongDigests).toEqual([0])
})

test('a number keeps its spelling, and a digest is of that', () => {
  const request =
    '{"id":7,"jsonrpc":"2.0","method":"tools/call","params":{"a":1.0,"b":12345678901234567890,"c":-0.0}}'
  const text = writeMcpCassette([
    {
      server: null,
      method: 'tools/call',
      notification: false,
      request,
      response: '{"id":7,"result":{"structuredContent":{"x":1.0}}}',
      latencyMs: 0,
    },
  ])
  expect(text).toContain('"a": 1.0,\n          "b": 12345678901234567890,\n          "c": -0.0')
  expect(text).toContain('"structured_content": {\n        "x": 1.0\n      }')
  expect(readMcpCassette(utf8(text), 'x').wrongDigests).toEqual([])
})

test('each tool of a listing leaves its digests', () => {
  const response =
    '{"id":1,"result":{"tools":[{"name":"a","outputSchema":{"type":"object"},"annotations":{}},{"name":"b"},{"title":"nameless"},5]}}'
  const text = writeMcpCassette([
    {
      server: null,
      method: 'tools/list',
      notification: false,
      request: '{"id":1,"method":"tools/list"}',
      response,
      latencyMs: 0,
    },
  ])
  expect(JSON.parse(text).interactions[0].tool_metadata).toEqual([
    {
      name: 'a',
      output_schema_digest: jsonDigest('{"type":"object"}'),
      annotations_digest: jsonDigest('{}'),
    },
    { name: 'b' },
  ])
})

const call = (members: object): string =>
  JSON.stringify({ interactions: [{ method: 'm', request: {}, response: {}, ...members }] })

describe('hostile', () => {
  test.each([
    ['', 'not JSON at offset 0'],
    ['[]', 'expected an object'],
    ['{"interactions":{}}', 'interactions: expected a list'],
    ['{"interactions":[1]}', 'interactions[0]: expected an object'],
    ['{"schema_version":"1"}', 'schema_version: expected a number'],
    ['{"schema_version":-1}', 'schema_version: expected a number'],
    [call({ method: 5 }), 'interactions[0].method: expected a string'],
    [call({ request: 'x' }), 'interactions[0].request: expected an object'],
    [call({ response: [] }), 'interactions[0].response: expected an object or null'],
    [call({ response: null }), 'interactions[0].response: a call needs an answer'],
    [call({ latency_ms: -1 }), 'interactions[0].latency_ms: expected a whole number'],
    [call({ notification: 'yes' }), 'interactions[0].notification: expected true or false'],
    [`${call({})}x`, 'not JSON'],
  ])('%s', (text, words) => {
    expect(() => readMcpCassette(utf8(text), 'x.json')).toThrow(words)
  })

  test('nesting without end', () => {
    expect(() => readMcpCassette(utf8(`{"interactions":${'['.repeat(1_000_000)}`), 'x.json')).toThrow(
      'nested deeper than 1000 levels',
    )
  })

  test('bytes that are no text', () => {
    expect(() => readMcpCassette(Uint8Array.of(0x7b, 0xff, 0x7d), 'x.json')).toThrow('it is not UTF-8')
  })

  test('a newer version', () => {
    expect(() => readMcpCassette(utf8('{"schema_version":2}'), 'x.json')).toThrow(
      'version 2; this one reads up to 1',
    )
  })

  test('an empty document is a cassette of nothing', () => {
    expect(readMcpCassette(utf8('{}'), 'x')).toEqual({ interactions: [], wrongDigests: [] })
  })

  test('any messages survive the way there and back', () => {
    const message = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    const interaction = fc.record({
      method: fc.string(),
      request: message,
      response: fc.option(message),
      latencyMs: fc.nat(),
    })
    fc.assert(
      fc.property(fc.array(interaction, { maxLength: 4 }), (list) => {
        const interactions = list.map(({ method, request, response, latencyMs }) => ({
          server: null,
          method,
          notification: response === null,
          request: JSON.stringify({ ...request, method }),
          response: response === null ? null : JSON.stringify(response),
          latencyMs,
        }))
        const once = writeMcpCassette(interactions)
        const read = readMcpCassette(utf8(once), 'x')
        expect(read.wrongDigests).toEqual([])
        expect(writeMcpCassette(read.interactions)).toBe(once)
        expect(read.interactions.map(({ request }) => JSON.parse(request))).toEqual(
          interactions.map(({ request }) => JSON.parse(request)),
        )
      }),
      { numRuns: 100 },
    )
  })
})

test('whatever is done to a cassette, it is read or refused with a code', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
      fc.nat(),
      (edits, cut) => {
        const bytes = Buffer.from(LISTED)
        for (const [at, value] of edits) bytes[at % bytes.length] = value
        const hostile = cut % 3 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes
        try {
          const { interactions } = readMcpCassette(hostile, 'x')
          writeMcpCassette(interactions)
          diffServers(
            interactions.map((interaction) => ({ ...interaction, server: 's' })),
            [],
          )
        } catch (error) {
          expect(isRepriseError(error)).toBe(true)
        }
      },
    ),
    { numRuns: 500 },
  )
})
