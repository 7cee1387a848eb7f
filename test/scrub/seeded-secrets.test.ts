import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createScrubber, type Side } from '../../src/scrub/index.ts'
import { anchoredSecrets, framedSecrets } from './seeded-secrets.ts'

const SIDES: readonly Side[] = ['sent', 'received']

test('the table is as large as it says', () => {
  expect(anchoredSecrets.length + framedSecrets.length).toBeGreaterThanOrEqual(50)
})

describe.each(anchoredSecrets)('%s', (kind, secret) => {
  test.each(SIDES)('goes from %s text, whatever stands around it', (side) => {
    for (const [before, after] of [
      ['', ''],
      ['key: ', ' and more'],
      ['"', '",'],
      ['(', ')'],
      ['\\n', '\\n'],
      ['\u001b[32m', '\u001b[0m'],
      ['x=', '&y=1'],
      ['%3D', '%26'],
      ['你好', '你好'],
    ] as const) {
      expect(createScrubber().text(before + secret + after, side)).toBe(`${before}<redacted:${kind}>${after}`)
    }
  })

  test.each(SIDES)('goes from %s JSON, escaped in every way', (side) => {
    const document = JSON.stringify({
      a: [{ text: `see ${secret} there` }],
      inner: JSON.stringify({ deep: secret }),
    })
    const slashed = document.replaceAll('/', '\\/')
    const spelled = document.replace(/[+\-_]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
    for (const text of [document, slashed, spelled]) {
      const done = createScrubber().jsonText(text, side)
      expect(JSON.parse(done)).toEqual({
        a: [{ text: `see <redacted:${kind}> there` }],
        inner: `{"deep":"<redacted:${kind}>"}`,
      })
    }
  })

  test.each(SIDES)('goes from a %s stream, one byte at a time and cut anywhere', (side) => {
    const bytes = Buffer.from(`é ${secret} ü`)
    for (const size of [1, 2, 3, 7, 64, 1000])
      expect(streamed(bytes, size, side)).toBe(`é <redacted:${kind}> ü`)
  })

  test('goes from values, URLs and compressed bodies', () => {
    expect(createScrubber().value({ note: [secret, 7] }, 'received')).toEqual({
      note: [`<redacted:${kind}>`, 7],
    })
    expect(createScrubber().url(`https://example.com/a?q=${encodeURIComponent(secret)}&z=1`)).toBe(
      `https://example.com/a?q=%3Credacted:${kind}%3E&z=1`,
    )
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const) {
      const body = createScrubber().body(
        { contentType: 'application/json', contentEncoding: encoding },
        'received',
      )
      body.push(pack(JSON.stringify({ note: secret })))
      const end = body.end()
      expect([Buffer.concat(end.chunks).toString(), end.decoded, end.scrubbed]).toEqual([
        `{"note":"<redacted:${kind}>"}`,
        true,
        1,
      ])
    }
  })
})

describe.each(framedSecrets)('%s in %s', (kind, text, secret) => {
  test.each(SIDES)('goes, and only it (%s)', (side) => {
    const done = createScrubber().text(text, side)
    expect(done).toContain(`<redacted:${kind}>`)
    expect(done.replace(/<redacted:[^>]*>/g, '').includes(secret)).toBe(false)
    expect(done.startsWith(text.slice(0, 4)) || done.startsWith('<redacted')).toBe(true)
    for (const size of [1, 2, 5, 17]) expect(streamed(Buffer.from(text), size, side)).toBe(done)
  })
})

function streamed(bytes: Uint8Array, size: number, side: Side): string {
  const stream = createScrubber().stream(side)
  const out: Uint8Array[] = []
  for (let at = 0; at < bytes.byteLength; at += size) out.push(stream.push(bytes.subarray(at, at + size)))
  return Buffer.concat([...out, stream.end()]).toString()
}
