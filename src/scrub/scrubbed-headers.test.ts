import { expect, it } from 'vitest'
import { createScrubber } from './index.ts'
import { scrubbedHeaders } from './scrubbed-headers.ts'

const TOKEN = 'sk-ant-api03-9qX2vB7nM4kL8jH5gF1dS3aP6oI0uY'

it('gives what scrubbing each header gives, list after list', () => {
  const scrubber = createScrubber()
  const others = createScrubber()
  const lists = [
    [
      ['accept', '*/*'],
      ['content-length', '10'],
      ['authorization', `Bearer ${TOKEN}`],
    ],
    [
      ['accept', '*/*'],
      ['content-length', '11'],
      ['authorization', `Bearer ${TOKEN}`],
    ],
    [
      ['accept', '*/*'],
      ['content-length', '11'],
      ['authorization', `Bearer ${TOKEN}`],
      ['x-more', 'yes'],
    ],
    [
      ['content-length', '11'],
      ['accept', '*/*'],
    ],
    [],
  ] as const
  for (const headers of lists) {
    const plain = headers.map(([name, value]) => [
      others.text(name, 'sent'),
      others.header(name, value, 'sent'),
    ])
    expect(scrubbedHeaders(headers, scrubber, 'sent')).toEqual(plain)
    expect(scrubber.hits).toBe(others.hits)
  }
})

it('searches a header again for a value that an earlier header of the same list has shown', () => {
  const scrubber = createScrubber()
  const copied = 'q7Zp3mVx9LrT2wK8sYb'
  const before = [
    ['x-api-key', 'none'],
    ['x-copy', copied],
  ] as const
  expect(scrubbedHeaders(before, scrubber, 'sent')[1]).toEqual(['x-copy', copied])
  const [, copy] = scrubbedHeaders(
    [
      ['x-api-key', copied],
      ['x-copy', copied],
    ],
    scrubber,
    'sent',
  )
  expect(copy?.[1]).not.toContain(copied)
})
