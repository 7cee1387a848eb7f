/** Random HTTP/1 messages for the differential test: mostly valid, in every framing, some damaged. */
import type { Random } from '../support/seeded.ts'

export type Side = 'request' | 'response'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'M-SEARCH'] as const
const TARGETS = ['/', '/a?b=c', '/%20x', '*', 'http://host:1/x', '/~!$&()*+,;=:@'] as const
const STATUSES = [
  '200 OK',
  '200',
  '200 ',
  '201 Created',
  '404 Not  Found',
  '500 \xfc',
  '204 No Content',
  '304 Not Modified',
  '299 odd',
] as const
const NAMES = ['A', 'x-y', 'Content-Type', "!#$%&'*+-.^_`|~0", 'Set-Cookie', 'Accept', 'Te', 'X'] as const
const VALUES = [
  '',
  '1',
  'a b',
  'a\tb',
  '  x',
  'x  ',
  '\ty\t',
  'caf\xe9',
  'a:b',
  ',',
  '"q"',
  'x'.repeat(300),
] as const
const LENGTHS = [
  '5',
  '05',
  '5 ',
  ' 5',
  '+5',
  '-5',
  '5, 5',
  '5,5',
  '0x5',
  '',
  '5 5',
  '1e1',
  '99999999999999999999',
] as const
const CODINGS = [
  'chunked',
  'Chunked',
  'gzip, chunked',
  'gzip,chunked',
  'chunked ',
  'identity',
  'gzip',
  'chunked, gzip',
  '',
] as const
const BAD_LINES = [
  'no colon',
  ': no name',
  'Spaced : x',
  ' folded',
  '\ttabbed',
  'A\x00b: x',
  'A: b\x00c',
  'A: b\x01',
  'A\xe9: x',
  'A: \x7f',
] as const

export function randomStream(side: Side, random: Random): Buffer {
  const count = 1 + random(3)
  const texts = Array.from({ length: count }, (_, at) => randomMessage(side, random, at === count - 1))
  const bytes = Buffer.from(texts.join(''), 'latin1')
  return random(5) === 0 ? damaged(bytes, random) : bytes
}

/** Pieces of any size, down to one byte. */
export function randomCuts(bytes: Buffer, random: Random): Buffer[] {
  const largest = [1, 3, 20, 200, 2000][random(5)] ?? 1
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.byteLength; ) {
    const end = Math.min(bytes.byteLength, at + 1 + random(largest))
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}

function randomMessage(side: Side, random: Random, isLast: boolean): string {
  const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T
  const rarely = (): boolean => random(12) === 0
  const lineEnd = rarely() ? '\n' : '\r\n'
  const version = isLast && rarely() ? '1.0' : '1.1'
  const start =
    side === 'request'
      ? `${pick(METHODS)} ${pick(TARGETS)} HTTP/${version}`
      : `HTTP/${version} ${pick(STATUSES)}`
  const lines = Array.from(
    { length: random(6) },
    () => `${pick(NAMES)}:${pick(['', ' ', '  ', '\t'])}${pick(VALUES)}`,
  )
  if (rarely()) lines.push(pick(BAD_LINES))
  if (random(40) === 0) for (let at = 0; at < 70; at += 1) lines.push(`N${at}: ${at}`)
  let body = ''
  switch (random(isLast ? 5 : 4)) {
    case 0: {
      const text = randomBody(random)
      lines.push(`${pick(['Content-Length', 'content-length', 'CONTENT-LENGTH'])}: ${text.length}`)
      if (rarely()) lines.push(`Content-Length: ${text.length}`)
      body = text
      break
    }
    case 1:
      lines.push(
        `${pick(['Transfer-Encoding', 'transfer-encoding'])}: ${rarely() ? pick(CODINGS) : 'chunked'}`,
      )
      if (random(40) === 0) lines.push('Content-Length: 5')
      body = chunked(random)
      break
    case 2:
      if (rarely()) {
        lines.push(`Content-Length: ${pick(LENGTHS)}`)
        body = 'hello'
      } else if (side === 'response') lines.push('Content-Length: 0')
      break
    case 3:
      lines.push('Content-Length: 0')
      break
    default:
      if (side === 'response') body = randomBody(random)
  }
  shuffle(lines, random)
  const before = rarely() ? pick(['\r\n', '\n', '\r\n\r\n']) : ''
  return `${before}${start}${lineEnd}${lines.map((line) => `${line}${lineEnd}`).join('')}${lineEnd}${body}`
}

function randomBody(random: Random): string {
  const unit = ['x', '\r\n', '\0\xff', 'HTTP/1.1 200 OK\r\n\r\n'][random(4)] ?? ''
  return unit.repeat(random(40))
}

function chunked(random: Random): string {
  let text = ''
  const rarely = (): boolean => random(15) === 0
  const end = (): string => (random(60) === 0 ? '\n' : '\r\n')
  for (let left = random(4); left > 0; left -= 1) {
    const data = randomBody(random) || 'y'
    const hex = data.length.toString(16)
    const size = rarely() ? `0${hex.toUpperCase()}` : hex
    const extension = rarely()
      ? ([';a', ';a=b', ';a="b;c"', ' ;a', ' ', ';', ';a=b;c=d', '\t'][random(8)] ?? '')
      : ''
    text += `${size}${extension}${end()}${data}${end()}`
  }
  const trailers = rarely() ? ['X-Trailer: 1\r\n', 'A: b\r\nC:d \r\n', 'bad\r\n'][random(3)] : ''
  return `${text}${rarely() ? '000' : '0'}\r\n${trailers}\r\n`
}

function shuffle(lines: string[], random: Random): void {
  for (let at = lines.length - 1; at > 0; at -= 1) {
    const other = random(at + 1)
    const [a, b] = [lines[at] ?? '', lines[other] ?? '']
    lines[at] = b
    lines[other] = a
  }
}

/** One byte changed, removed or added, or the end cut off. */
function damaged(bytes: Buffer, random: Random): Buffer {
  const at = random(bytes.byteLength)
  const byte = Buffer.from([random(3) === 0 ? (Buffer.from('\r\n :;\t0')[random(7)] ?? 0) : random(256)])
  switch (random(4)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at + 1)])
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at)])
    default:
      return bytes.subarray(0, at)
  }
}
