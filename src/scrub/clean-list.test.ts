import { expect, test } from 'vitest'
import { createScrubber } from './index.ts'

const KNOWN = 'q7w3E9r1T5y2U8i4'
const KEY = `ghp_${'q7w3E9r1T5y2'.repeat(3)}`
const filler = 'lorem ipsum dolor sit amet '.repeat(80)
const items: readonly object[] = Array.from({ length: 4200 }, (_, n) => ({ n, text: `${filler}${n}` }))

/** More than is scrubbed as one text. */
function textWith(item: object): string {
  return `{"name":"x","items":${JSON.stringify([...items, item])},"value":"none"}`
}

test.each([
  ['nothing', { text: 'plain' }],
  ['words of secrets', { text: 'the password, or a token of eight words' }],
  ['escapes', { text: 'a "quoted" \\ line\n' }],
  ['an early key', { text: `the key is ${KEY}` }],
  ['a known value', { [`x${KNOWN}`]: 1 }],
  ['a field', { password: 'correct horse battery' }],
  ['an escaped known value', { text: `"${KNOWN}"` }],
  ['a list of bytes', { bytes: [...Buffer.from(KNOWN)] }],
])('a large list gives what its text gives: %s', { timeout: 60_000 }, (_name, item) => {
  const text = textWith(item)
  const [ours, other] = [0, 1].map(() => createScrubber({ env: { A_SECRET: KNOWN } }))
  const body = ours?.body({ contentType: 'application/json' }, 'sent')
  body?.push(Buffer.from(text))
  const done = Buffer.concat(body?.end().chunks ?? []).toString()
  expect(text.length).toBeGreaterThan(8 * 1024 * 1024)
  expect(done === other?.jsonText(text, 'sent')).toBe(true)
  expect(ours?.hits).toBe(other?.hits)
})
