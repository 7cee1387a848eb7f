/**
 * What is recorded with one key is asked for at replay with another, or with the placeholder that the tape
 * handed out: the text must be the same.
 */
import { expect, test } from 'vitest'
import { createScrubber, normalisePlaceholders, type Scrubber } from '../../src/scrub/index.ts'

const keyA = `sk-${'proj'}-Aa1${'bC2dE3fG4h'.repeat(5)}`
const keyB = `sk-${'proj'}-Zz9${'yX8wV7uT6s'.repeat(6)}`

function request(scrubber: Scrubber, key: string): readonly string[] {
  return [
    scrubber.header('authorization', `Bearer ${key}`),
    scrubber.header('x-api-key', key),
    scrubber.url(`https://api.example.com/v1/models?key=${encodeURIComponent(key)}&page=2`),
    scrubber.url(`https://api.example.com/v1/models?${new URLSearchParams({ key, page: '2' })}`),
    scrubber.jsonText(
      JSON.stringify({
        model: 'm',
        messages: [{ content: `use ${key} please` }],
        api_key: key,
        arguments: JSON.stringify({ token: key }),
      }),
      'sent',
    ),
    scrubber.text(`curl -H "Authorization: Bearer ${key}"`, 'sent'),
    ...scrubber.argv(['deploy', '--api-key', key, `--token=${key}`]),
  ]
}

test('another key of the same shape gives the same text', () => {
  expect(request(createScrubber(), keyB)).toEqual(request(createScrubber(), keyA))
  expect(request(createScrubber(), keyA).join()).not.toContain('bC2dE3')
})

test('another value of the same variable gives the same text, whatever its shape', () => {
  const recorded = createScrubber({ env: { OPENAI_API_KEY: keyA } })
  const replayed = createScrubber({ env: { OPENAI_API_KEY: 'another-kind-of-key-0815' } })
  expect(request(replayed, 'another-kind-of-key-0815')).toEqual(request(recorded, keyA))
})

test('the placeholder itself gives the same text', () => {
  const recorded = createScrubber({ env: { OPENAI_API_KEY: keyA } })
  const handedOut = recorded.env('OPENAI_API_KEY', keyA)
  expect(handedOut).toBe('<redacted:env:OPENAI_API_KEY>')
  expect(request(createScrubber(), handedOut)).toEqual(request(recorded, keyA))
  expect(request(createScrubber({ env: { OPENAI_API_KEY: handedOut } }), handedOut)).toEqual(
    request(recorded, keyA),
  )
})

test('a token from an answer is known from there on, and its placeholder matches at replay', () => {
  const recorded = createScrubber()
  const token = 'gho0815tokenfromtheserver4711'
  const answer = recorded.jsonText(`{"access_token":"${token}","token_type":"bearer"}`, 'received')
  expect(answer).toBe('{"access_token":"<redacted:access_token>","token_type":"bearer"}')
  const sent = recorded.header('authorization', `Bearer ${token}`)
  expect(sent).toBe('Bearer <redacted:access_token>')
  expect(recorded.text(`file: ${Buffer.from(`u:${token}`).toString('base64')}`, 'received')).not.toContain(
    Buffer.from(token).toString('base64').slice(3, -4),
  )
  expect(createScrubber().header('authorization', 'Bearer <redacted:access_token>')).toBe(sent)
})

test('the second distinct secret of a kind is numbered, in order of first sight, also beside a placeholder', () => {
  const recorded = createScrubber()
  expect(recorded.text(`${keyA} ${keyB} ${keyA}`, 'sent')).toBe(
    '<redacted:openai_key> <redacted:openai_key#2> <redacted:openai_key>',
  )
  const replayed = createScrubber()
  expect(replayed.text(`<redacted:openai_key> ${keyB} <redacted:openai_key>`, 'sent')).toBe(
    '<redacted:openai_key> <redacted:openai_key#2> <redacted:openai_key>',
  )
})

test('nothing of the secret is in the placeholder', () => {
  const long = createScrubber().text(`${keyA}${keyA.slice(3)}`, 'sent')
  expect(long).toBe('<redacted:openai_key>')
})

test("Harn's placeholders stay, and match keys do not see their length", () => {
  const text = 'key <redacted:openai_key:51>, [redacted], <redacted:jwt:900>'
  expect(createScrubber().text(text, 'sent')).toBe(text)
  expect(
    createScrubber().jsonText(`{"password":"[redacted]","token":"<redacted:github_token:40>"}`, 'sent'),
  ).toBe('{"password":"[redacted]","token":"<redacted:github_token:40>"}')
  expect(normalisePlaceholders(text)).toBe('key <redacted:openai_key>, [redacted], <redacted:jwt>')
  expect(normalisePlaceholders('https://a/?k=%3Credacted%3Aenv%3AMY_KEY%3E')).toBe(
    'https://a/?k=<redacted:env:MY_KEY>',
  )
})
