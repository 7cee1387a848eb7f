import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bodyBytes,
  endBytes,
  headBytes,
  mayBeRequest,
  requestFraming,
  requestHead,
  requestUrl,
  responseFraming,
  responseHead,
  takesConnectionOver,
} from './http-heads.ts'
import { type Framing, MessageParser } from './message-parser.ts'

type Seen = {
  readonly start: string
  readonly headers: readonly (readonly [string, string])[]
  body: string
  spans: number
  end: unknown
}

/** Reads these pieces one after the other; what could not be read stands in `unread`. */
function read(
  pieces: readonly Uint8Array[],
  framing: (start: string, headers: Seen['headers']) => Framing | null,
) {
  const seen: Seen[] = []
  const parser = new MessageParser({
    head(start, headers) {
      const found = framing(start, headers)
      if (found !== null) seen.push({ start, headers, body: '', spans: 0, end: null })
      return found
    },
    data(bytes) {
      const last = seen.at(-1)
      if (last === undefined) throw new Error('a body without a head')
      last.body += Buffer.from(bytes).toString('latin1')
      last.spans += 1
    },
    end(trailers) {
      const last = seen.at(-1)
      if (last !== undefined) last.end = trailers
    },
  })
  const unread = pieces.map((piece) => parser.push(piece)).filter((rest) => rest !== null)
  return { seen, unread: Buffer.concat(unread).toString('latin1'), close: parser.close() }
}

const asRequest = (start: string, headers: Seen['headers']): Framing | null =>
  requestHead(start, headers) === null ? null : requestFraming(headers)
const asResponse = (start: string, headers: Seen['headers']): Framing | null => {
  const head = responseHead(start, headers)
  return head === null ? null : responseFraming('GET', head.status, headers)
}
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Cuts into pieces at arbitrary places. */
function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places.map((place) => place % (whole.byteLength + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => whole.subarray(from, at[index] ?? whole.byteLength))
}

const REQUESTS = `${[
  'GET /a HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /b HTTP/1.1\r\nhost: x\r\nContent-Length: 5\r\n\r\nhello',
  'PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\nA;x=1\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n',
  '\r\nDELETE /d HTTP/1.0\r\nA: 1\r\nA:2 \r\nFolded: one\r\n  two\r\n\r\n',
].join('')}`

const EXPECTED = [
  { start: 'GET /a HTTP/1.1', headers: [['Host', 'x']], body: '', end: [] },
  {
    start: 'POST /b HTTP/1.1',
    headers: [
      ['host', 'x'],
      ['Content-Length', '5'],
    ],
    body: 'hello',
    end: [],
  },
  {
    start: 'PUT /c HTTP/1.1',
    headers: [['Transfer-Encoding', 'chunked']],
    body: 'wiki0123456789',
    end: [['X-T', '1']],
  },
  {
    start: 'DELETE /d HTTP/1.0',
    headers: [
      ['A', '1'],
      ['A', '2'],
      ['Folded', 'one two'],
    ],
    body: '',
    end: [],
  },
]

test('requests, one after the other, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (places) => {
      const { seen, unread, close } = read(cut(bytes(REQUESTS), places), asRequest)
      expect(seen.map(({ spans: _, ...rest }) => rest)).toEqual(EXPECTED)
      expect(unread).toBe('')
      expect(close).toEqual({ type: 'between' })
    }),
  )
})

const chunkList = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 })
const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
const value = fc.stringMatching(/^([!-~]([ !-~]{0,20}[!-~])?)?$/)
const extraHeaders = fc.array(
  fc.tuple(
    token.filter((name) => !/^(content-length|transfer-encoding)$/i.test(name)),
    value,
  ),
  { maxLength: 6 },
)

test('an answer made from outcomes reads back as those outcomes, however it is cut; the chunks stay apart', () => {
  fc.assert(
    fc.property(
      extraHeaders,
      chunkList,
      fc.constantFrom('chunked', 'length', 'until-close'),
      fc.array(fc.nat()),
      (extra, chunks, kind, places) => {
        const size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
        const headers = [
          ...extra,
          ...(kind === 'chunked'
            ? [['Transfer-Encoding', 'chunked'] as const]
            : kind === 'length'
              ? [['Content-Length', String(size)] as const]
              : []),
        ]
        const framing = responseFraming('GET', 200, headers)
        const whole = Buffer.concat([
          headBytes({ type: 'head', status: 200, statusText: 'Fine', headers }),
          ...chunks.map((chunk) => bodyBytes(framing, chunk)),
          endBytes(framing, []),
        ])
        const { seen, unread, close } = read(cut(whole, places), asResponse)
        expect(unread).toBe('')
        expect(seen.map(({ start, headers, body, end }) => ({ start, headers, body, end }))).toEqual([
          { start: 'HTTP/1.1 200 Fine', headers, body: Buffer.concat(chunks).toString('latin1'), end: [] },
        ])
        expect(close).toEqual({ type: kind === 'until-close' ? 'end' : 'between' })
        if (places.length === 0 && kind === 'chunked') expect(seen[0]?.spans).toBe(chunks.length)
      },
    ),
  )
})

test('what cannot be read is given back, byte for byte, however it is cut', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat()), (noise, places) => {
      const whole = Buffer.concat([
        bytes('GET /a HTTP/1.1\r\n\r\n'),
        bytes('no request at all\r\n\r\n'),
        noise,
      ])
      const { seen, unread } = read(cut(whole, places), asRequest)
      expect(seen.length).toBe(1)
      expect(unread).toBe(whole.subarray(19).toString('latin1'))
    }),
  )
})

describe('what is refused', () => {
  test.each([
    ['a chunk size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'zz\r\n'],
    [
      'a chunk longer than it says',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
      'b\r\n',
    ],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    [
      'a carriage return before the end of the last header',
      'HTTP/1.1 200 OK\r\nx:  \r\r\n\r\n',
      'HTTP/1.1 200 OK\r\nx:  \r\r\n\r\n',
    ],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ])('%s', (_what, text, unread) => {
    expect(read([bytes(text)], asResponse).unread).toBe(unread)
  })

  test('a head without end', () => {
    const line = bytes(`x: ${'y'.repeat(1000)}\r\n`)
    const pieces = [bytes('HTTP/1.1 200 OK\r\n'), ...Array<Uint8Array>(1100).fill(line)]
    expect(read(pieces, asResponse).unread.length).toBe(17 + 1100 * line.byteLength)
  })

  test('a cut in the middle says what was read and not handed on', () => {
    expect(read([bytes('HTTP/1.1 200 OK\r\nconte')], asResponse).close).toEqual({
      type: 'cut',
      held: Buffer.from('HTTP/1.1 200 OK\r\nconte'),
    })
    expect(read([bytes('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')], asResponse).close).toEqual({
      type: 'cut',
      held: Buffer.alloc(0),
    })
  })
})

describe('heads', () => {
  test.each([
    ['GET /x', true],
    ['G', true],
    ['M-SEARCH * HTTP/1.1', true],
    ['PRI * HTTP/2.0\r\n', false],
    ['*1\r\n$4\r\nPING', false],
    ['PING\r\n', false],
    ['\x16\x03\x01', false],
  ])('%j may be the beginning of a request: %s', (text, may) => {
    expect(mayBeRequest(bytes(text))).toBe(may)
  })

  test.each([
    ['/p?q=1#f', [['Host', 'api.example.com']], 'https://api.example.com/p?q=1'],
    ['/p', [], 'https://10.0.0.1:8443/p'],
    ['http://other.example/x', [['host', 'proxy']], 'http://other.example/x'],
    ['*', [['host', 'h']], 'https://h*/'],
  ] as const)('the URL of %s', (target, headers, url) => {
    expect(requestUrl({ method: 'GET', target, headers }, 'https', '10.0.0.1:8443')).toBe(url)
  })

  test.each([
    ['CONNECT', [], 'CONNECT'],
    [
      'GET',
      [
        ['Connection', 'keep-alive, Upgrade'],
        ['Upgrade', 'websocket'],
      ],
      'upgrade to websocket',
    ],
    ['GET', [['upgrade', 'h2c']], null],
    ['POST', [['connection', 'upgrade']], null],
  ] as const)('%s %j takes the connection over: %s', (method, headers, what) => {
    expect(takesConnectionOver({ method, target: '/', headers })).toBe(what)
  })

  test.each([
    ['HEAD', 200, [['content-length', '5']], { type: 'none' }],
    ['GET', 204, [], { type: 'none' }],
    ['GET', 304, [['content-length', '5']], { type: 'none' }],
    [
      'GET',
      200,
      [
        ['transfer-encoding', 'gzip, chunked'],
        ['content-length', '5'],
      ],
      { type: 'chunked' },
    ],
    ['GET', 200, [['Content-Length', '5']], { type: 'length', bytes: 5 }],
    ['GET', 200, [], { type: 'until-close' }],
  ] as const)('the body of an answer to %s with %i', (method, status, headers, framing) => {
    expect(responseFraming(method, status, headers)).toEqual(framing)
  })

  test('an answer of HTTP/1.0 says so', () => {
    const head = responseHead('HTTP/1.0 200 Quite Fine', [])
    expect(head).toEqual({
      type: 'head',
      status: 200,
      statusText: 'Quite Fine',
      headers: [],
      httpVersion: '1.0',
    })
    expect(head === null ? '' : headBytes(head).toString()).toBe('HTTP/1.0 200 Quite Fine\r\n\r\n')
  })
})

describe('what llhttp refuses because its end could be read in two ways is not read', () => {
  test.each([
    ['a length beside a coding', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 5'],
    ['a length that is no number', 'Content-Length: 5, 5'],
    ['an empty length', 'Content-Length: '],
    ['a name with a space', 'Content-Length : 5'],
    ['a carriage return in a value', 'A: b\rContent-Length: 5'],
    ['a NUL in a value', 'A: b\0'],
  ])('%s', (_name, lines) => {
    for (const start of ['POST / HTTP/1.1', 'HTTP/1.1 200 OK']) {
      const whole = `${start}\r\n${lines}\r\n\r\nhello`
      expect(read([bytes(whole)], start.startsWith('POST') ? asRequest : asResponse)).toMatchObject({
        seen: [],
        unread: whole,
      })
    }
  })

  test.each(['gzip', 'chunked, gzip', 'chunked\xa0'])('a request with the coding %j', (coding) => {
    const whole = `POST / HTTP/1.1\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`
    expect(read([bytes(whole)], asRequest)).toMatchObject({ seen: [], unread: whole })
  })

  test('a space after the size of a chunk', () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
    expect(read([bytes(`${head}5 \r\nhello\r\n0\r\n\r\n`)], asResponse).unread).toBe(
      '5 \r\nhello\r\n0\r\n\r\n',
    )
  })
})

describe('heads one after the other', () => {
  const heads = (texts: readonly string[]) => {
    const found: { readonly start: string; readonly headers: Seen['headers']; readonly plain: number }[] = []
    const parser = new MessageParser({
      head(start, headers) {
        found.push({ start, headers, plain: parser.plainHeadBytes })
        return asRequest(start, headers)
      },
      data: () => undefined,
      end: () => undefined,
    })
    for (const text of texts) parser.push(bytes(text))
    return found
  }

  test('the same lines give the same list, other lines another one', () => {
    const lists = heads([
      'GET /a HTTP/1.1\r\nHost: x\r\nA: 1\r\n\r\n',
      'GET /b HTTP/1.1\r\nHost: x\r\nA: 1\r\n\r\n',
      'GET /c HTTP/1.1\r\nHost: x\r\nA: 2\r\n\r\n',
      'GET /d HTTP/1.1\r\nHost: x\r\nA: 1\r\n\r\n',
    ])
    expect(lists.map(({ start }) => start.slice(4, 6))).toEqual(['/a', '/b', '/c', '/d'])
    expect(lists[1]?.headers).toBe(lists[0]?.headers)
    expect(lists.map(({ headers }) => headers[1]?.[1])).toEqual(['1', '1', '2', '1'])
  })

  test('a head that is rejected is not taken for the next one', () => {
    const lines = 'Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello'
    const good = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
    const whole = `${good}POST / HTTP/1.1\r\n${lines}`
    expect(read([bytes(whole)], asRequest)).toMatchObject({ seen: [{}], unread: whole.slice(good.length) })
    expect(read([bytes(good), bytes(whole.slice(good.length))], asRequest)).toMatchObject({
      seen: [{}],
      unread: whole.slice(good.length),
    })
  })

  test('a head is plain if names and values give its bytes again', () => {
    const plain = 'POST /a HTTP/1.1\r\nHost: x\r\nB: \r\nContent-Length: 2\r\n\r\n'
    const sizes = (...texts: string[]): number[] => heads(texts).map((head) => head.plain)
    expect(sizes(`${plain}hi`, `${plain}hi${plain}`)).toEqual(Array(3).fill(plain.length))
    expect(sizes('GET / HTTP/1.0\r\n\r\n')).toEqual([18])
    for (const line of ['A:1', 'A:  1', 'A: 1 ', 'A:1 ', 'A: 1\r\n b', 'A:\t1', 'A: 1\nB: 2'])
      expect(sizes(`GET / HTTP/1.1\r\n${line}\r\n\r\n`), line).toEqual([0])
    expect(sizes('GET / HTTP/1.1\r\nA: 1', '\r\n\r\n')).toEqual([0])
  })
})
