/** Hostile input of megabytes per rule. Judged by growth, not by the clock: twice the input may take about twice the time, never four times. */
import { describe, expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

const hostile: readonly (readonly [what: string, unit: string])[] = [
  ['a row of key prefixes', 'sk-'],
  ['prefixes that never become keys', 'sk-ant- ghp_ AKIA '],
  ['one endless key', 'a'],
  ['heads of tokens', 'eyJhbGciOi'],
  ['heads and dots', 'eyJhbGciOiJI.'],
  ['two parts of three', 'eyJhbGciOiJI.eyJhbGciOiJI '],
  ['openings of PEM blocks', '-----BEGIN PRIVATE KEY-----\n'],
  ['PEM blocks without an end', `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`],
  ['dashes', '-'],
  ['user names without a host', '://a:'],
  ['passwords without a host', 'http://aaaaaaaaaaaaaaaaaaaaaaaaa:bbbbbbbbbbbbbbbbbbbbbbbbbbbbb'],
  ['names of secrets', 'aws_secret_access_key '],
  ['names and signs', 'password=token=secret:api_key = '],
  ['bearers', 'Bearer '],
  ['OAuth fields', '"access_token":"'],
  ['backslashes', '\\'],
  ['escapes', '\\u0041\\/'],
  ['beginnings of placeholders', '<redacted:'],
  ['data URIs', 'data:image/png;base64,'],
  ['the beginning of a known value', 'Zq9-known-secret+value/'],
  ['commands with users', 'curl -u a:b '],
  ['commands without', 'curl '],
  ['ids of bots', '12345678:AAA'],
  ['beginnings of bots', 'MTEyMjMz.'],
  ['webhooks', 'hooks.slack.com/services/T/B/'],
  ['brackets', '['],
  ['objects', '{"password":'],
]

describe.each(hostile)('%s', (_what, unit) => {
  test('in linear time, as text, JSON and stream', () => {
    const small = unit.repeat(Math.ceil(100_000 / unit.length))
    const large = unit.repeat(Math.ceil(400_000 / unit.length))
    for (const act of [scrubText, scrubJson, scrubStream]) {
      act(small)
      // Four times the input; quadratic would be sixteen. A measurement that something disturbed is made again.
      const measured = [1, 2, 3].some(
        () =>
          growth(
            () => act(small),
            () => act(large),
          ) < 10,
      )
      expect(measured).toBe(true)
    }
  })
})

function scrubText(text: string): void {
  createScrubber({ env: { MY_SECRET: 'Zq9-known-secret+value/7' } }).text(text, 'sent')
}

function scrubJson(text: string): void {
  createScrubber().jsonText(`{"a":${JSON.stringify(text)}}`, 'sent')
  createScrubber().jsonText(text, 'sent')
}

function scrubStream(text: string): void {
  const stream = createScrubber({ env: { MY_SECRET: 'Zq9-known-secret+value/7' } }).stream('sent')
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.byteLength; at += 16_384) stream.push(bytes.subarray(at, at + 16_384))
  stream.end()
}

function growth(small: () => void, large: () => void): number {
  const before = milliseconds(small)
  return milliseconds(large) / Math.max(before, 20)
}

/** Of the processor, not of the clock on the wall: another process's turn does not count. */
function milliseconds(run: () => void): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
