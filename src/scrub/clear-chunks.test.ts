import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Scrubber, StreamScrubber } from './index.ts'
import { createScrubber } from './index.ts'
import { passClear } from './stream.ts'

const env = { MY_TOKEN: 'tok_4f9d2c7b1a', PGPASSWORD: 'p@s"w/R+d&', ODD_SECRET: 'a\x05b\x02c-Secret+value' }
const plainEnv = { MY_TOKEN: env.MY_TOKEN, PGPASSWORD: env.PGPASSWORD }

/** Ends of chunks, most of them of binary protocols: what may begin a secret, and what may not. */
const end = fc.constantFrom(
  ...[
    '\0\0\0\x05I',
    'S\0\0\0\x04',
    '\x01',
    '\x02\0',
    '\x05sk',
    '\x05-',
    '\x04----',
    '\x03\\',
    '\x03\\u00',
    '\x06%4',
  ],
  ...[
    '\x07t',
    '\x07to',
    '\x07tok',
    '\x01p',
    '\x01p@',
    '\x01a\0',
    '\x01a\0b',
    '\x02QUJD',
    '\x02QU',
    '\x01<red',
    '\x0112',
  ],
  ...[
    '\x01xx12',
    '\x021234567890',
    '\x03a\x05',
    '\x05b',
    'a\x05b',
    '\x01eyJ',
    '\x01\n',
    '\r\n',
    'I',
    ' ',
    '"',
  ],
)
const word = fc.constantFrom(
  ...[env.MY_TOKEN, env.PGPASSWORD, env.ODD_SECRET, 'password', '"token":"', '<redacted:', 'plain words, '],
  ...[
    'x'.repeat(70),
    'y'.repeat(600),
    '\0\0\0\x11',
    '1234',
    'select $1::int',
    'QUJDREVGR0hJSktMTU5P',
    'a\0b\0c\0',
  ],
)
const chunk = fc
  .tuple(fc.array(fc.oneof(word, fc.string({ maxLength: 30 })), { maxLength: 5 }), end)
  .map(([words, last]) => Buffer.from(words.join('') + last, 'latin1'))
const chunks = fc.array(chunk, { minLength: 1, maxLength: 8 })

/** A stream that searches everything: what it has returned before, what it holds, and the chunk. */
function plainStream(scrubber: Scrubber, side: 'sent' | 'received') {
  let [context, held] = ['', '']
  return (bytes: Buffer): { out: string; held: number } | null => {
    const text = context + held + bytes.toString('latin1')
    const { spans, certain } = scrubber.find(text, side, false)
    if (spans.length > 0) return null
    const from = Math.max(context.length, certain)
    const out = text.slice(context.length, from)
    context = text.slice(Math.max(0, from - 512), from)
    held = text.slice(from)
    return { out, held: held.length }
  }
}

function isSame(
  stream: StreamScrubber,
  expected: ReturnType<typeof plainStream>,
  sent: readonly Buffer[],
): void {
  for (const bytes of sent) {
    const found = expected(bytes)
    const out = Buffer.from(stream.push(bytes)).toString('latin1')
    // From a secret on the two differ in what is replaced.
    if (found === null) return
    expect({ out, held: stream.held }).toEqual(found)
  }
}

for (const values of [{}, plainEnv, env])
  for (const side of ['sent', 'received'] as const) {
    test(`a stream gives what a search of everything gives: ${side}, ${Object.keys(values).length} values`, () => {
      fc.assert(
        fc.property(chunks, (sent) => {
          const scrubber = createScrubber({ env: values })
          isSame(scrubber.maskedStream(side), plainStream(scrubber, side), sent)
          isSame(scrubber.stream(side), plainStream(scrubber, side), sent)
        }),
        { numRuns: 400 },
      )
    })
  }

test('what is passed as clear is what a search gives, and has no name of a field', () => {
  fc.assert(
    fc.property(chunks, (sent) => {
      const scrubber = createScrubber({ env })
      const stream = scrubber.stream('sent')
      const searched = createScrubber({ env }).stream('sent')
      for (const bytes of sent) {
        const clear = passClear(stream, bytes)
        const plain = searched.push(bytes)
        if (clear !== null) expect(scrubber.mayHold(bytes, 'sent')).toBe(false)
        expect(Buffer.from(clear ?? stream.push(bytes))).toEqual(Buffer.from(plain))
        expect(stream.held).toBe(searched.held)
      }
    }),
    { numRuns: 400 },
  )
})
