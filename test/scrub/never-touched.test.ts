import { describe, expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

const base64 = Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7919 + (n >> 3) * 31) & 255)).toString(
  'base64',
)
const base64url = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

const rows: readonly (readonly [what: string, text: string])[] = [
  [
    'an Anthropic tool_use id',
    '{"type":"tool_use","id":"toolu_01A09q90qw90lq917835lq9","name":"get_weather","input":{}}',
  ],
  [
    'its way back',
    '{"type":"tool_result","tool_use_id":"toolu_01A09q90qw90lq917835lq9","content":"15 degrees"}',
  ],
  [
    'an OpenAI tool call id',
    '{"tool_calls":[{"id":"call_abc123DEF456ghi789JKL012","type":"function"}],"tool_call_id":"call_abc123DEF456ghi789JKL012"}',
  ],
  [
    'ids of responses',
    '{"id":"resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b","item_id":"msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b"}',
  ],
  ['a thinking signature', `{"type":"thinking","thinking":"hm","signature":"${base64}"}`],
  ['a redacted thinking block', `{"type":"redacted_thinking","data":"${base64}"}`],
  ['a thought signature', `{"thoughtSignature":"${base64}"}`],
  ['encrypted reasoning', `{"type":"reasoning","encrypted_content":"gAAAAA${base64url}"}`],
  [
    'page cursors',
    '{"next_page_token":"CAESBgoEeyJhIjoxfQ","nextPageToken":"EAAaB1BUOkNBUQ","pageToken":"abc123def456","cursor":"eyJpZCI6MTIzNDU2fQ==","next_cursor":"dXNlcjpVMDYxTkZUVDI="}',
  ],
  ['progressToken', '{"method":"tools/call","params":{"_meta":{"progressToken":"abc-123-def-456"}}}'],
  [
    'token counts',
    '{"max_tokens":4096,"max_completion_tokens":100,"usage":{"input_tokens":12,"output_tokens":3,"prompt_tokens":1,"total_tokens":16,"cached_tokens":0}}',
  ],
  ['token counts as text', '{"max_tokens":"4096","budget_tokens":"1024"}'],
  ['special tokens', '{"eos_token":"<|endoftext|>","bos_token":"<s>","pad_token":"[PAD123456]"}'],
  ['traceparent', '{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}'],
  ['a data URI image', `{"image_url":{"url":"data:image/png;base64,${base64}"}}`],
  ['base64 media', `{"source":{"type":"base64","media_type":"image/png","data":"${base64}"}}`],
  [
    'a tool schema with a password',
    '{"input_schema":{"type":"object","properties":{"password":{"type":"string","description":"the password to set"},"api_key":{"type":"string"}}}}',
  ],
  [
    'code about tokens',
    '{"content":"const token: string = getToken(); if (password === undefined) throw new Error(secret)"}',
  ],
  [
    'prose about passwords',
    '{"content":"The password must have twelve characters; bearer tokens expire; a secret: never tell."}',
  ],
  ['style sheets', '{"content":".sk-fading-circle-container { } .sk-cube-grid-animation-wrapper"}'],
  [
    'a commit, a digest, a UUID',
    '{"sha":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","etag":"W/\\"0815\\"","id":"123e4567-e89b-42d3-a456-426614174000"}',
  ],
  [
    'npm integrity',
    '{"integrity":"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="}',
  ],
  ['numbers and white space', '{ "a" : 1.0 , "b": -0.0,\n "c":12345678901234567890, "d":1e400 }'],
]

describe.each(rows)('%s', (_what, text) => {
  test('stays, byte for byte, on both sides', () => {
    for (const side of ['sent', 'received'] as const) {
      const scrubber = createScrubber({ env: { MY_API_KEY: 'Zx81-another-secret-value' } })
      expect(scrubber.jsonText(text, side)).toBe(text)
      expect(scrubber.text(text, side)).toBe(text)
      expect(scrubber.value(JSON.parse(text), side)).toEqual(JSON.parse(text))
      expect(Buffer.from(scrubber.bytes(Buffer.from(text), side)).toString()).toBe(text)
      const stream = scrubber.stream(side)
      expect(
        Buffer.concat(
          [...Buffer.from(text)].map((byte) => stream.push(Uint8Array.of(byte))).concat(stream.end()),
        ).toString(),
      ).toBe(text)
      expect(scrubber.hits).toBe(0)
    }
  })
})

test.each([
  ['anthropic-ratelimit-tokens-remaining', '39000'],
  ['x-ratelimit-remaining-tokens', '149984'],
  ['x-request-id', 'req_011CSHoEeqs5C35K2UUqR7Fy'],
  ['idempotency-key', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ['content-length', '1234'],
  ['etag', '"33a64df551425fcc55e4d42a148795d9f25f89d4"'],
  ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
])('header %s stays', (name, value) => {
  expect(createScrubber().header(name, value)).toBe(value)
})

test.each([
  ['https://api.example.com/v1/items?page_token=CAESBgoEeyJhIjoxfQ&cursor=abc&max_tokens=5#top'],
  ['https://example.com/?q=a+b%20c&x=%E4%BD%A0'],
])('URL %s stays', (url) => {
  expect(createScrubber().url(url)).toBe(url)
})

test('a secret field is none in what the program takes in, unless OAuth says so', () => {
  const text = '{"password":"hunter2hunter2","token":"abc123abc123abc1","access_token":"xyz789xyz789xyz7"}'
  expect(createScrubber().jsonText(text, 'received')).toBe(
    '{"password":"hunter2hunter2","token":"abc123abc123abc1","access_token":"<redacted:access_token>"}',
  )
})
