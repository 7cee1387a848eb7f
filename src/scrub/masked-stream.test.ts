import { expect, test } from 'vitest'
import { createScrubber } from './index.ts'

const SECRET = 'sekret-Token-0815'
const scrubber = () => createScrubber({ env: { API_TOKEN: SECRET } })

test('a secret split at any offset becomes a mask of its length', () => {
  const text = `row \0\x11${SECRET}\0 next field, and then some more text that follows`
  for (let cut = 1; cut < text.length; cut += 1) {
    const stream = scrubber().maskedStream('received')
    const parts = [text.slice(0, cut), text.slice(cut)].map((part) =>
      stream.push(Buffer.from(part, 'latin1')),
    )
    const out = Buffer.concat([...parts, stream.end()]).toString('latin1')
    expect(out).toBe(text.replace(SECRET, '*'.repeat(SECRET.length)))
  }
})

test('a secret after a byte that is held back becomes a mask, wherever long chunks are cut', () => {
  const answer = `${'x'.repeat(60)}Z\0\0\0\x05I`
  const text = `${answer}${answer}${SECRET}\0${answer}${SECRET}${answer}`
  const masked = text.replaceAll(SECRET, '*'.repeat(SECRET.length))
  for (let cut = answer.length; cut < text.length; cut += 1) {
    const stream = scrubber().maskedStream('received')
    const cuts = [0, answer.length, cut, text.length]
    const parts = cuts
      .slice(1)
      .map((end, at) => stream.push(Buffer.from(text.slice(cuts[at], end), 'latin1')))
    expect(Buffer.concat([...parts, stream.end()]).toString('latin1')).toBe(masked)
  }
})

test('a value with a substitute of its length is replaced by that', () => {
  const known = scrubber()
  known.learnAs('b64/value+that+is+derived=', 'XXX/value+that+is+another=')
  const stream = known.maskedStream('received')
  const out = Buffer.concat([stream.push(Buffer.from('v=b64/value+that+is+derived=,e')), stream.end()])
  expect(String(out)).toBe('v=XXX/value+that+is+another=,e')
})

test('bytes that are no text pass unchanged', () => {
  const stream = scrubber().maskedStream('received')
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256))
  expect(Buffer.concat([stream.push(bytes), stream.end()])).toEqual(bytes)
})
