import { describe, expect, test } from 'vitest'
import { isRepriseError } from '../errors/index.ts'
import { createScrubber } from './create-scrubber.ts'

describe('names', () => {
  test.each([
    ['authorization', 'Bearer abc123', 'Bearer <redacted:bearer_token>'],
    ['Authorization', 'Basic dTpw', 'Basic <redacted:basic_auth>'],
    ['proxy-authorization', 'whatever', '<redacted:proxy_authorization>'],
    ['cookie', 'sid=abc; theme=dark', 'sid=<redacted:cookie>; theme=<redacted:cookie#2>'],
    ['x-api-key', 'k', '<redacted:x_api_key>'],
    ['x-goog-api-key', 'k', '<redacted:x_goog_api_key>'],
    ['x-amz-security-token', 't', '<redacted:x_amz_security_token>'],
    ['user-agent', 'agent/1.0', 'agent/1.0'],
  ])('header %s: %s', (name, value, done) => {
    expect(createScrubber().header(name, value)).toBe(done)
  })

  test("an answer's cookie keeps its name and attributes", () => {
    expect(createScrubber().header('set-cookie', 'sid=abc123; Path=/; HttpOnly', 'received')).toBe(
      'sid=<redacted:cookie>; Path=/; HttpOnly',
    )
  })

  test.each([
    ['GITHUB_TOKEN', 'x1', '<redacted:env:GITHUB_TOKEN>'],
    ['AWS_SECRET_ACCESS_KEY', 'x', '<redacted:env:AWS_SECRET_ACCESS_KEY>'],
    ['PGPASSWORD', 'x', '<redacted:env:PGPASSWORD>'],
    ['USE_API_KEY', 'true', 'true'],
    ['GITHUB_TOKEN', '', ''],
    ['SSH_AUTH_SOCK', '/tmp/agent.1', '/tmp/agent.1'],
    ['MAX_OUTPUT_TOKENS', '8192', '8192'],
    ['PWD', '/home/me', '/home/me'],
    ['DATABASE_URL', 'postgres://a:b@c/d', 'postgres://a:<redacted:url_password>@c/d'],
    ['MEMCACHED_URL', 'me:pa55-W@h.example:11211', 'me:<redacted:url_password>@h.example:11211'],
    ['SERVERS', 'me:one1@h:1,me:two2@h:2', 'me:<redacted:url_password>@h:1,me:<redacted:url_password#2>@h:2'],
    ['SERVERS', 'me:<redacted:url_password>@h:1', 'me:<redacted:url_password>@h:1'],
    ['IMAGE', 'nginx:1.25@sha256:0123abcd', 'nginx:1.25@sha256:0123abcd'],
    ['FROM', 'mailto:me@example.com', 'mailto:me@example.com'],
  ])('variable %s=%s', (name, value, done) => {
    expect(createScrubber().env(name, value)).toBe(done)
  })
})

describe('values of the environment', () => {
  test('are looked for from eight bytes up, and not if they are a common word', () => {
    const scrubber = createScrubber({
      env: {
        A_SECRET: 'zebra77',
        B_SECRET: 'development',
        C_SECRET: 'zebra778',
        D_NAME: 'not-a-secret-name',
      },
    })
    expect(scrubber.text('zebra77 development not-a-secret-name', 'received')).toBe(
      'zebra77 development not-a-secret-name',
    )
    expect(scrubber.text('zebra778', 'received')).toBe('<redacted:env:C_SECRET>')
  })

  test('with line breaks are found in JSON and in binary', () => {
    const secret = 'first line 1\nsecond "line" 2\n'
    const scrubber = createScrubber({ env: { MULTI_SECRET: secret } })
    expect(scrubber.jsonText(JSON.stringify({ a: secret }), 'received')).toBe(
      '{"a":"<redacted:env:MULTI_SECRET>"}',
    )
    const binary = Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(secret), Buffer.from([128])])
    expect(Buffer.from(scrubber.bytes(binary, 'received')).toString('latin1')).toBe(
      '\u0000ÿþ<redacted:env:MULTI_SECRET>\u0080',
    )
  })
})

describe('JSON', () => {
  test('keeps white space, order and number spellings', () => {
    const text = '{ "z":1.0,\t"password" : "p",\n"a":[-0.0, 1e5 ] }'
    expect(createScrubber().jsonText(text, 'sent')).toBe(text.replace('"p"', '"<redacted:password>"'))
  })

  test('deeper than the scanner goes is scrubbed as text', () => {
    const deep = `${'['.repeat(5000)}"sk-ant-${'a1'.repeat(20)}"${']'.repeat(5000)}`
    expect(createScrubber().jsonText(deep, 'sent')).toBe(
      `${'['.repeat(5000)}"<redacted:anthropic_key>"${']'.repeat(5000)}`,
    )
  })

  test('a value that is nested too deep is refused with a code', () => {
    let value: unknown = 'x'
    for (let level = 0; level < 1100; level += 1) value = [value]
    let caught: unknown
    try {
      createScrubber().value(value, 'sent')
    } catch (error) {
      caught = error
    }
    expect(isRepriseError(caught) && caught.code).toBe('scrub-too-deep')
  })
})

test('the report names rules, counts and places, and holds no secret', () => {
  const scrubber = createScrubber()
  scrubber.jsonText('{"a":[{"password":"p1"}]}', 'sent')
  scrubber.header('x-api-key', 'k1')
  scrubber.url('https://a/?token=t1')
  scrubber.text(`see ghp_${'a1'.repeat(18)}`, 'received')
  expect(scrubber.report()).toEqual({
    total: 4,
    rules: [
      { rule: 'password', placeholder: '<redacted:password>', count: 1, places: ['$.a[0].password'] },
      { rule: 'x_api_key', placeholder: '<redacted:x_api_key>', count: 1, places: ['header x-api-key'] },
      { rule: 'token', placeholder: '<redacted:token>', count: 1, places: ['url ?token'] },
      { rule: 'github_token', placeholder: '<redacted:github_token>', count: 1, places: ['offset 4'] },
    ],
  })
  expect(scrubber.hits).toBe(4)
})

test('a value has one placeholder, whatever variable has it', () => {
  const value = 'zQ7vTr4kLm9XwB2nYp6D'
  const scrubber = createScrubber({ env: { GH_TOKEN: value, GITHUB_TOKEN: value } })
  for (const name of ['GH_TOKEN', 'GITHUB_TOKEN', 'NPM_TOKEN'])
    expect(scrubber.env(name, value)).toBe('<redacted:env:GH_TOKEN>')
  expect(scrubber.text(value, 'sent')).toBe('<redacted:env:GH_TOKEN>')
})
