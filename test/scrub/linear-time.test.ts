/**
 * Hostile input per rule. Judged by growth, in time of the processor: eight times the input takes about eight
 * times as long, at most 27 times (three times per doubling), and never 64 times, which is quadratic.
 */
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
  test.each([
    ['as text', scrubText],
    ['as JSON', scrubJson],
    ['as a stream', scrubStream],
  ])('%s: eight times the input takes at most 27 times the time', (_how, act) => {
    const measured = [growth(unit, act)]
    // A measurement that something disturbed is made again; quadratic would be 64 each time.
    while (measured.length < 3 && Math.min(...measured) > MOST_GROWTH) measured.push(growth(unit, act))
    expect(Math.min(...measured)).toBeLessThanOrEqual(MOST_GROWTH)
  })
})

const MOST_GROWTH = 27
/** Long enough for the processor's own account of its time, and for what the collector takes now and then. */
const LEAST_MS = 2
const MOST_CHARS = 4_000_000

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

/**
 * How many times longer eight times the input takes. The length is the first that takes long enough to be
 * measured.
 */
function growth(unit: string, act: (text: string) => void): number {
  const text = (chars: number): string => unit.repeat(Math.ceil(chars / unit.length))
  let chars = 50_000
  act(text(chars))
  while (chars < MOST_CHARS && milliseconds(() => act(text(chars))) < LEAST_MS) chars *= 2
  const [once, eightfold] = [text(chars), text(8 * chars)]
  const single = median(Array.from({ length: 3 }, () => milliseconds(() => act(once))))
  return milliseconds(() => act(eightfold)) / single
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** Of the processor, not of the clock on the wall: another process's turn does not count. */
function milliseconds(run: () => void): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
