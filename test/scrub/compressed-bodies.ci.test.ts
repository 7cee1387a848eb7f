import { randomBytes } from 'node:crypto'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

const SECRET = 'Zq7-compressed-secret-value-92'
/** Does not become smaller. */
const NOISE = randomBytes(20 * 1024 * 1024)
const compress = {
  gzip: (bytes: Uint8Array) => zlib.gzipSync(bytes, { level: 1 }),
  deflate: (bytes: Uint8Array) => zlib.deflateSync(bytes, { level: 1 }),
  br: (bytes: Uint8Array) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
}

function scrubbed(bytes: Uint8Array, contentEncoding: string) {
  const body = createScrubber({ env: { MY_TOKEN: SECRET } }).body({ contentEncoding }, 'received')
  const out: Uint8Array[] = []
  let mostHeld = 0
  for (let at = 0; at < bytes.byteLength; at += 65_536) {
    out.push(body.push(bytes.subarray(at, at + 65_536)))
    mostHeld = Math.max(mostHeld, body.held)
  }
  const end = body.end()
  return { bytes: Buffer.concat([...out, ...end.chunks]), end, mostHeld }
}

test.each(Object.entries(compress))('%s without a secret passes as it came', (encoding, encode) => {
  const bytes = encode(NOISE)
  const done = scrubbed(bytes, encoding)
  expect(done.bytes.equals(bytes)).toBe(true)
  expect(done.mostHeld).toBeLessThan(17 * 1024 * 1024)
  expect(done.end).toMatchObject({ decoded: false, scrubbed: 0 })
})

test('a secret in the first 16 MiB: the body ends decoded and scrubbed', () => {
  const { bytes, end } = scrubbed(compress.gzip(Buffer.concat([Buffer.from(` ${SECRET} `), NOISE])), 'gzip')
  expect(end).toMatchObject({ decoded: true, scrubbed: 1 })
  expect(bytes.equals(Buffer.concat([Buffer.from(' <redacted:env:MY_TOKEN> '), NOISE]))).toBe(true)
})

test('a secret after that: nothing of it, and nothing that follows, passes', () => {
  const raw = compress.gzip(Buffer.concat([NOISE, Buffer.from(` ${SECRET} `), randomBytes(100_000)]))
  const { bytes, end } = scrubbed(raw, 'gzip')
  expect(end).toMatchObject({ withheld: true, chunks: [] })
  expect(bytes.byteLength).toBeLessThan(raw.byteLength)
  expect(bytes.equals(raw.subarray(0, bytes.byteLength))).toBe(true)
  const plain = zlib.gunzipSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH })
  expect(plain.includes(SECRET.slice(0, 6))).toBe(false)
})

test('bytes that are not in their declared encoding, from the beginning and later', () => {
  const wrong = scrubbed(Buffer.concat([NOISE, Buffer.from(SECRET)]), 'gzip')
  expect(wrong.bytes.includes(SECRET)).toBe(false)
  const raw = Buffer.concat([
    compress.gzip(NOISE).subarray(0, 18 * 1024 * 1024),
    Buffer.from(SECRET.repeat(9)),
  ])
  expect(scrubbed(raw, 'gzip').bytes.includes(SECRET)).toBe(false)
})
