import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type BodyHead, createScrubber, type Side } from '../../src/scrub/index.ts'

const key = `ghp_${'a1B2c3D4e5'.repeat(4)}`

function run(head: BodyHead, side: Side, ...chunks: readonly Uint8Array[]) {
  const body = createScrubber({ env: { MY_SECRET: 'Zq9-known-secret+value/7' } }).body(head, side)
  const passed = chunks.map((chunk) => Buffer.from(body.push(chunk)).toString())
  const end = body.end()
  return {
    passed,
    rest: Buffer.concat(end.chunks).toString(),
    chunks: end.chunks,
    decoded: end.decoded,
    scrubbed: end.scrubbed,
    isHeld: body.isHeld,
  }
}

describe('a compressed body', () => {
  test('without a secret ends as the very chunks that came', () => {
    const packed = gzipSync('{"hello":"world"}')
    const { chunks, decoded, scrubbed } = run(
      { contentType: 'application/json', contentEncoding: 'gzip' },
      'received',
      packed.subarray(0, 9),
      packed.subarray(9),
    )
    expect(chunks.map((chunk) => Buffer.from(chunk).toString('hex'))).toEqual([
      packed.subarray(0, 9).toString('hex'),
      packed.subarray(9).toString('hex'),
    ])
    expect([decoded, scrubbed]).toEqual([false, 0])
  })

  test('with one ends decoded, and says so', () => {
    const packed = brotliCompressSync(gzipSync(`token ${key}`))
    expect(run({ contentEncoding: 'gzip, br' }, 'received', packed)).toMatchObject({
      rest: 'token <redacted:github_token>',
      decoded: true,
      scrubbed: 1,
    })
  })

  test('that was cut off is cleaned as far as it goes', () => {
    const packed = gzipSync(`token ${key} ${'and more '.repeat(500)}${Math.PI}`)
    const { rest, decoded } = run(
      { contentEncoding: 'gzip' },
      'received',
      packed.subarray(0, packed.byteLength - 12),
    )
    expect(rest.startsWith('token <redacted:github_token> and more')).toBe(true)
    expect(decoded).toBe(true)
  })

  test('that unpacks to more than it may is not written at all', () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000))
    expect(run({ contentEncoding: 'gzip', mostBytes: 1_000_000 }, 'received', bomb)).toMatchObject({
      rest: '<redacted:oversized_body>',
      decoded: true,
      scrubbed: 1,
    })
  })

  test('in an encoding that is not what it says passes as bytes', () => {
    expect(run({ contentEncoding: 'gzip' }, 'received', Buffer.from('not gzip'))).toMatchObject({
      rest: 'not gzip',
      decoded: false,
    })
  })
})

describe('a request', () => {
  test('as a form: secret parameters, and secrets in others', () => {
    const form = `grant_type=refresh_token&client_secret=abc%2Bdef&note=a+${key}+b&plain=x%20y`
    expect(run({ contentType: 'application/x-www-form-urlencoded' }, 'sent', Buffer.from(form)).rest).toBe(
      'grant_type=refresh_token&client_secret=%3Credacted%3Aclient_secret%3E&note=a%20%3Credacted%3Agithub_token%3E%20b&plain=x%20y',
    )
  })

  test('as multipart: the frame stays, the parts are cleaned', () => {
    const part = (head: string, body: string): string =>
      `--XyZ\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
    const before = `${part('name="password"', 'hunter2')}${part('name="file"; filename="a.json"\r\nContent-Type: application/json', '{"api_key":"q1"}')}${part('name="note"', `see ${key}`)}--XyZ--\r\n`
    const after = `${part('name="password"', '<redacted:password>')}${part('name="file"; filename="a.json"\r\nContent-Type: application/json', '{"api_key":"<redacted:api_key>"}')}${part('name="note"', 'see <redacted:github_token>')}--XyZ--\r\n`
    expect(run({ contentType: 'multipart/form-data; boundary=XyZ' }, 'sent', Buffer.from(before)).rest).toBe(
      after,
    )
  })

  test('as lines of JSON', () => {
    const { rest } = run(
      { contentType: 'application/x-ndjson' },
      'sent',
      Buffer.from('{"password":"p1"}\n{"n":1.0}\n'),
    )
    expect(rest).toBe('{"password":"<redacted:password>"}\n{"n":1.0}\n')
  })
})

describe('an answer', () => {
  test('in events passes as it comes; OAuth fields and known values go', () => {
    const events = [
      'data: {"delta":"hel',
      'lo"}\n\ndata: {"access_token":"abcdef0123',
      '456789"}\n\ndata: Zq9-known-',
      'secret+value/7\n\n',
    ]
    const { passed, rest, isHeld } = run(
      { contentType: 'text/event-stream' },
      'received',
      ...events.map((text) => Buffer.from(text)),
    )
    expect(isHeld).toBe(false)
    expect(passed[0]).toBe('data: {"delta":"hel')
    expect(passed.join('') + rest).toBe(
      'data: {"delta":"hello"}\n\ndata: {"access_token":"<redacted:access_token>"}\n\ndata: <redacted:env:MY_SECRET>\n\n',
    )
  })

  test('in JSON keeps its chunks where nothing may begin', () => {
    const { passed } = run(
      { contentType: 'application/json' },
      'received',
      Buffer.from('{"a": 1, '),
      Buffer.from('"b": 2}\n'),
    )
    expect(passed).toEqual(['{"a": 1, ', '"b": 2}\n'])
  })
})

describe('what a client sends to a server of the program', () => {
  const password = 'Tr0ub4dor&3'
  const asked = { isAsked: true } as const
  const multipart = (value: string): string =>
    `--b\r\ncontent-disposition: form-data; name="user"\r\n\r\nada\r\n--b\r\ncontent-disposition: form-data; name="password"\r\n\r\n${value}\r\n--b--\r\n`

  test.each([
    ['application/json', (value: string) => JSON.stringify({ user: [{ name: 'ada', password: value }] })],
    [
      'application/x-www-form-urlencoded',
      (value: string) => `user=ada&password=${encodeURIComponent(value)}`,
    ],
    ['multipart/form-data; boundary=b', multipart],
  ])('a password in %s is replaced by its name, plain and compressed', (contentType, bodyOf) => {
    const bytes = Buffer.from(bodyOf(password))
    const pieces = [...bytes].map((byte) => Buffer.from([byte]))
    const whole = run({ ...asked, contentType }, 'received', bytes)
    expect(whole.rest).toMatch(/<redacted:password>|%3Credacted%3Apassword%3E/)
    expect(whole.rest).toContain('ada')
    expect(whole.rest).not.toContain('ub4dor')
    expect(run({ ...asked, contentType }, 'received', ...pieces).rest).toBe(whole.rest)
    const packed = { ...asked, contentType, contentEncoding: 'gzip' }
    expect(run(packed, 'received', gzipSync(bytes))).toMatchObject({ decoded: true, rest: whole.rest })
  })

  test('an ordinary word, and a field of another name, stay', () => {
    const text = '{"password":"secret","token":"abc","page":"Tr0ub4dor&3"}'
    expect(run({ ...asked, contentType: 'application/json' }, 'received', Buffer.from(text)).rest).toBe(text)
  })

  test('a large one passes as a stream', () => {
    const part = Buffer.from(`{"password":"${password}","text":"${'x'.repeat(3_000_000)}"}`)
    const { passed, rest } = run({ ...asked, contentType: 'application/json' }, 'received', part, part)
    expect(passed[0]).toBe('')
    expect(passed[1] + rest).toBe(part.toString().repeat(2))
  })
})

describe('a match longer than a stream may hold', () => {
  test('is replaced as it stands, and its rest is dropped', () => {
    const scrubber = createScrubber()
    const stream = scrubber.stream('received')
    const out = [stream.push(Buffer.from('see ghp_'))]
    for (let n = 0; n < 100; n += 1) out.push(stream.push(Buffer.alloc(4096, 'a1')))
    out.push(stream.push(Buffer.from('a1 bye')), stream.end())
    expect(Buffer.concat(out).toString()).toBe('see <redacted:github_token> bye')
  })

  test('no more than the limit is held at any time', () => {
    const stream = createScrubber().stream('received')
    stream.push(Buffer.from('-----BEGIN PRIVATE KEY-----\n'))
    for (let n = 0; n < 4000; n += 1) {
      stream.push(Buffer.from(`${'QUJD'.repeat(16)}\n`))
      expect(stream.held).toBeLessThanOrEqual(80 * 1024)
    }
  })
})
