/** Texts that a known value becomes on its way: each is replaced, as a whole and in a stream cut anywhere. */
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

const VALUE = `q"W4e'r5\\t6<y>&u7i8\nline-Two9`
const BYTES = [...Buffer.from(VALUE)]
const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0')
const PLACE = '<redacted:env:MY_TOKEN>'

test.each([
  ['HTML', 'q&quot;W4e&#39;r5\\t6&lt;y&gt;&amp;u7i8\nline-Two9'],
  ['XML of another library', `q"W4e&apos;r5\\t6&lt;y>&amp;u7i8\nline-Two9`],
  ['a quoted word of a shell', `q"W4e'\\''r5\\t6<y>&u7i8\nline-Two9`],
  ['a shell that prints blanks', `q"W4e'r5\\t6<y>&u7i8 line-Two9`],
  ['a shell that undoes escapes', `q"W4e'r5\t6<y>&u7i8\nline-Two9`],
  ['a form', `q"W4e'r5\\t6<y>&u7i8\r\nline-Two9`],
  ['CSV', `q""W4e'r5\\t6<y>&u7i8\nline-Two9`],
  ['SQL', `q"W4e''r5\\t6<y>&u7i8\nline-Two9`],
  ['hex', Buffer.from(VALUE).toString('hex')],
  ['hex in capitals', Buffer.from(VALUE).toString('hex').toUpperCase()],
])('a known value in %s', (_name, text) => {
  const scrubber = createScrubber({ env: { MY_TOKEN: VALUE } })
  expect(scrubber.text(`a ${text} b`, 'received')).toBe(`a ${PLACE} b`)
  expect(scrubber.jsonText(JSON.stringify({ text }), 'received')).toBe(JSON.stringify({ text: PLACE }))
  const bytes = Buffer.from(`a ${text} b`)
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const stream = scrubber.stream('received')
    const parts = [stream.push(bytes.subarray(0, cut)), stream.push(bytes.subarray(cut)), stream.end()]
    expect(Buffer.concat(parts).toString()).toBe(`a ${PLACE} b`)
  }
})

test.each(['k7Jd+92_xLmQ0zVt4RbN8w==', 'k7Jd+92-xLmQ0zVt4RbN8w==', 'k7Jd-92_xLmQ0zVt4RbN8w=='])(
  'a known value with another character for its slash: %s',
  (name) => {
    const scrubber = createScrubber({ env: { MY_TOKEN: 'k7Jd+92/xLmQ0zVt4RbN8w==' } })
    expect(scrubber.text(`out/${name}.txt`, 'sent')).toBe(`out/${PLACE}.txt`)
  },
)

test('the name of a file, and any other header of a part, is searched', () => {
  const scrubber = createScrubber({ env: { MY_TOKEN: 'aB3+xY/9%zQ_pw~77' } })
  const name = encodeURIComponent('aB3+xY/9%zQ_pw~77')
  const part = (file: string) =>
    `--b\r\nContent-Disposition: form-data; name="f"; filename="${file}.bin"\r\n\r\nx\r\n--b--\r\n`
  const body = scrubber.body({ contentType: 'multipart/form-data; boundary=b' }, 'sent')
  const parts = [body.push(Buffer.from(part(name))), ...body.end().chunks]
  expect(Buffer.concat(parts).toString()).toBe(part(PLACE))
})

test.each([
  ['a printed buffer', BYTES.map(hexOf).join(' '), ''],
  ['hex with colons', BYTES.map(hexOf).join(':'), ''],
  ['hex of a program', BYTES.map((byte) => `0x${hexOf(byte)}`).join(', '), '0x'],
  ['hex escapes', BYTES.map((byte) => `\\x${hexOf(byte)}`).join(''), '\\x'],
  ['code points', BYTES.map((byte) => `\\u{${hexOf(byte)}}`).join(''), '\\u{'],
  ['padded code points', BYTES.map((byte) => `\\u{00${hexOf(byte)}}`).join(''), '\\u{'],
  ['entities', BYTES.map((byte) => `&#${byte};`).join(''), '&#'],
  ['entities in hex', BYTES.map((byte) => `&#x${hexOf(byte)};`).join(''), '&#x'],
  ['quoted-printable', BYTES.map((byte) => `=${hexOf(byte).toUpperCase()}`).join(''), '='],
  ['a list of numbers', BYTES.join(','), ''],
  ['a printed array', BYTES.join(',\n   '), ''],
])('a known value of which %s has the codes', (_name, text, before) => {
  const scrubber = createScrubber({ env: { MY_TOKEN: VALUE } })
  const isClosed = /[;}]$/.exec(text)?.[0] ?? ''
  const whole = `a ${before}${PLACE}${isClosed} b`
  expect(scrubber.text(`a ${text} b`, 'received')).toBe(whole)
  const bytes = Buffer.from(`a ${text} b`)
  for (let cut = 1; cut < bytes.length; cut += 3) {
    const stream = scrubber.stream('received')
    const parts = [stream.push(bytes.subarray(0, cut)), stream.push(bytes.subarray(cut)), stream.end()]
    expect(Buffer.concat(parts).toString(), `cut at ${cut}`).toBe(whole)
  }
})

test('numbers and digests that are no text are left alone', () => {
  const scrubber = createScrubber({ env: { MY_TOKEN: VALUE } })
  for (const text of [
    '[12, 250, 3, 999, 81, 7, 200, 44, 90]',
    'd41d8cd98f00b204e9800998ecf8427e 2026-11-17T10:31:22',
    '<Buffer 00 01 02 03 04 05 06 07 08>',
    '\\x00\\xff &#8364;&#8364; =E2=82=AC',
  ])
    expect(scrubber.text(text, 'received')).toBe(text)
})

test('a list of numbers in JSON stays JSON, in text and as a value', () => {
  const scrubber = createScrubber({ env: { MY_TOKEN: VALUE } })
  const data = {
    list: [1, 2, 3],
    bytes: [...Buffer.from(`a ${VALUE} b`)],
    buffer: Buffer.from(VALUE).toJSON(),
  }
  const done = { list: [1, 2, 3], bytes: [97, 32, PLACE, 32, 98], buffer: { type: 'Buffer', data: [PLACE] } }
  expect(JSON.parse(scrubber.jsonText(JSON.stringify(data, null, 2), 'sent'))).toEqual(done)
  expect(scrubber.value(data, 'sent')).toEqual(done)
})

test('the name of a parameter is searched', () => {
  const value = 'aB3+xY/9%zQ_pw~77'
  const scrubber = createScrubber({ env: { MY_TOKEN: value } })
  const url = 'https://h/p?%3Credacted:env:MY_TOKEN%3E=1&b=2'
  expect(scrubber.url(`https://h/p?${new URLSearchParams([[value, '1']])}&b=2`)).toBe(url)
  expect(scrubber.url(url)).toBe(url)
  expect(scrubber.url('https://h/p?%3Credacted%3Aenv%3AMY_TOKEN%3E=1&b=2')).toBe(url)
  expect(scrubber.url(`https://h/p?x-${encodeURIComponent(value)}=`)).toBe(
    'https://h/p?x-%3Credacted:env:MY_TOKEN%3E=',
  )
  expect(scrubber.url('https://h/p?a%5B%5D=1&b+c=2')).toBe('https://h/p?a%5B%5D=1&b+c=2')
})

test('a known value beyond ASCII in UTF-16', () => {
  const value = 'pässwörd-Geheim-ñandú'
  const scrubber = createScrubber({ env: { MY_TOKEN: value } })
  const bytes = Buffer.concat([Buffer.from('a '), Buffer.from(value, 'utf16le'), Buffer.from(' b')])
  expect(scrubber.text(bytes.toString('latin1'), 'received')).toBe(`a ${PLACE} b`)
})

test.each(['{"x":"61"}\n', 'x = 61;\r\n', '[97, 98]\n'])(
  'a complete line is not held for codes: %j',
  (line) => {
    const stream = createScrubber({ env: { MY_SECRET: 'abcdefgh1234567890' } }).stream('sent')
    expect(stream.push(Buffer.from(line)).toString()).toBe(line)
  },
)

/** No four characters in a row stay the same in every encoding. */
const ODD = `p@s"w/R+d&=<4>'9%$xQ;k`
const escaped = (chars: RegExp, text = ODD): string => text.replace(chars, '\\$&')

test.each([
  ['a string of a program', `'${escaped(/['\\]/g)}'`, `'${PLACE}'`],
  ['a template of a program', `\`${escaped(/[$`\\]/g)}\``, `\`${PLACE}\``],
  ['a quoted word of a shell', `"${escaped(/["$`\\]/g)}"`, `"${PLACE}"`],
  ['a regular expression', `/${escaped(/[$+/]/g)}/`, `/${PLACE}/`],
  ['a string in JSON', JSON.stringify(`'${escaped(/['\\]/g)}'`), `"'${PLACE}'"`],
  ['a path', encodeURI(ODD), PLACE],
  ['entities', ODD.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`), PLACE],
  ['entities in hex', ODD.replace(/[^\w]/g, (char) => `&#x${char.charCodeAt(0).toString(16)};`), PLACE],
  ['some escapes', ODD.replace(/[^\w]/g, (char) => `\\x${hexOf(char.charCodeAt(0))}`), PLACE],
])('a known value of odd characters in %s, in pieces too', (_name, text, expected) => {
  expectInPieces(ODD, Buffer.from(`a ${text} b`), `a ${expected} b`)
})

test.each([
  ['btoa', 'Grüße1Käse2Öl', btoa('user:Grüße1Käse2Öl'), `dXNlcjp${PLACE}`],
  ['hex of Latin-1', 'Grüße1Käse2Öl', Buffer.from('Grüße1Käse2Öl', 'latin1').toString('hex'), PLACE],
  ['escape', 'Grüße1Käse2Öl', 'Gr%FC%DFe1K%E4se2%D6l', PLACE],
  ['escapes of bytes', 'Grüße1Käse2Öl', 'Gr\\xc3\\xbc\\xc3\\x9fe1K\\xc3\\xa4se2\\xc3\\x96l', PLACE],
  ['entities', 'Grüße1Käse2Öl', 'Gr&#252;&#xdf;e1K&#228;se2&#214;l', PLACE],
  [
    'escapes of JSON',
    'пароль-секрет-42',
    JSON.stringify('пароль-секрет-42').replace(/[^ -~]/g, escapeOf),
    `"${PLACE}"`,
  ],
  ['quoted-printable', 'Grüße1Käse2Öl', 'Gr=C3=BC=C3=9Fe1K=C3=A4se2=C3=96l', PLACE],
])('a known value beyond ASCII in %s, in pieces too', (_name, value, text, expected) => {
  expectInPieces(value, Buffer.from(`a ${text} b`), `a ${expected} b`)
})

test('a known value as the name of a host', () => {
  const scrubber = createScrubber({ env: { MY_TOKEN: 'zQ7vTr4kLm9XwB2nYp6D' } })
  const { href } = new URL('https://zQ7vTr4kLm9XwB2nYp6D.example.com/')
  expect(scrubber.text(href, 'received')).toBe(`https://${PLACE}.example.com/`)
})

test.each(['', 'ab '])('a known value in UTF-16 after %j, in pieces too', (before) => {
  const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
  const bytes = wide(`${before}zQ7vTr4kLm9XwB2nYp6D tail`)
  const expected = `${wide(before)}${PLACE}${wide(' tail')}`
  expectInPieces('zQ7vTr4kLm9XwB2nYp6D', bytes, expected)
})

function escapeOf(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function expectInPieces(value: string, bytes: Buffer, expected: string): void {
  for (const size of [bytes.length, 1, 2, 3, 7]) {
    const stream = createScrubber({ env: { MY_TOKEN: value } }).stream('received')
    const parts: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += size) parts.push(stream.push(bytes.subarray(at, at + size)))
    expect(Buffer.concat([...parts, stream.end()]).toString()).toBe(expected)
  }
}
