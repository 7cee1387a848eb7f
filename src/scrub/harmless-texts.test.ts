import { expect, test } from 'vitest'
import { createScrubber } from './create-scrubber.ts'

test('a text in which nothing was found is looked at again once a secret is learned', () => {
  const scrubber = createScrubber()
  expect(scrubber.text('zqWb-17-kkLm', 'sent')).toBe('zqWb-17-kkLm')
  expect(scrubber.text('zqWb-17-kkLm', 'sent')).toBe('zqWb-17-kkLm')
  scrubber.learn('vault', 'zqWb-17-kkLm')
  expect(scrubber.text('zqWb-17-kkLm', 'sent')).toBe('<redacted:vault>')
  expect(scrubber.text('zqWb-17-kkLm', 'received')).toBe('<redacted:vault>')
})

test('what is harmless in an answer is judged by itself in a request', () => {
  const scrubber = createScrubber()
  const text = 'password = hunter2hunter2'
  expect(scrubber.text(text, 'received')).toBe(text)
  expect(scrubber.text(text, 'sent')).not.toBe(text)
  expect(scrubber.text(text, 'received')).toBe(text)
})

test('more texts than are kept do no harm', () => {
  const scrubber = createScrubber()
  for (let n = 0; n < 5000; n += 1) expect(scrubber.text(`harmless ${n}`, 'sent')).toBe(`harmless ${n}`)
  expect(scrubber.header('authorization', 'Bearer abcdefgh12345678')).toContain('<redacted:')
})
