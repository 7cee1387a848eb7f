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

it('keeps the headers of requests to a server and those of its answers apart', () => {
  const scrubber = createScrubber()
  const headers = [['accept', '*/*']] as const
  const asked = scrubbedHeaders(headers, scrubber, 'asked')
  scrubbedHeaders([['content-type', 'text/plain']], scrubber, 'answered')
  expect(scrubbedHeaders([...headers], scrubber, 'asked')).toBe(asked)
})

it('does not give a header of a client as it was, because a server may keep it', () => {
  const scrubber = createScrubber()
  const headers = [['cookie', 'theme=dark']] as const
  scrubber.issue(() => scrubbedHeaders([['set-cookie', 'theme=dark']], scrubber, 'answered'))
  const asked = scrubber.asked(() => scrubbedHeaders(headers, scrubber, 'asked'))
  expect(asked).toEqual(headers)
  const others = createScrubber()
  others.issue(() => scrubbedHeaders([['set-cookie', 'theme=dark']], others, 'answered'))
  expect(scrubbedHeaders(headers, scrubber, 'sent')).toEqual(scrubbedHeaders(headers, others, 'sent'))
})
