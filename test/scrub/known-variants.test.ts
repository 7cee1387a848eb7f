/** Texts that a known value becomes on its way: each is replaced, as a whole and in a stream cut anywhere. */
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

const VALUE = `q"W4e'r5\\t6<y>&u7i8\nline-Two9`
const PLACE = '<redacted:env:MY_TOKEN>'

test.each([
  ['HTML', 'q&quot;W4e&#39;r5\\t6&lt;y&gt;&amp;u7i8\nline-Two9'],
  ['XML of another library', `q"W4e&apos;r5\\t6&lt;y>&amp;u7i8\nline-Two9`],
  ['a quoted word of a shell', `q"W4e'\\''r5\\t6<y>&u7i8\nline-Two9`],
  ['a shell that prints blanks', `q"W4e'r5\\t6<y>&u7i8 line-Two9`],
  ['a shell that undoes escapes', `q"W4e'r5\t6<y>&u7i8\nline-Two9`],
  ['a form', `q"W4e'r5\\t6<y>&u7i8\r\nline-Two9`],
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

test('the name of a file, and any other header of a part, is searched', () => {
  const scrubber = createScrubber({ env: { MY_TOKEN: 'aB3+xY/9%zQ_pw~77' } })
  const name = encodeURIComponent('aB3+xY/9%zQ_pw~77')
  const part = (file: string) =>
    `--b\r\nContent-Disposition: form-data; name="f"; filename="${file}.bin"\r\n\r\nx\r\n--b--\r\n`
  const body = scrubber.body({ contentType: 'multipart/form-data; boundary=b' }, 'sent')
  const parts = [body.push(Buffer.from(part(name))), ...body.end().chunks]
  expect(Buffer.concat(parts).toString()).toBe(part(PLACE))
})
