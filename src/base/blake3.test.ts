import fc from 'fast-check'
import { createBLAKE3 } from 'hash-wasm'
import { expect, test, vi } from 'vitest'
import { type Blake3Stream, contentHash, createBlake3, isContentHash } from './blake3.ts'

/** Another implementation, to compare with. */
const other = await createBLAKE3()
const expectedHash = (bytes: Uint8Array): string => other.init().update(bytes).digest('hex')

const vectors: readonly [name: string, bytes: Uint8Array, hash: string][] = [
  ['nothing', new Uint8Array(), 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
  ['hi', Buffer.from('hi\n'), '0b8b60248fad7ac6dfac221b7e01a8b91c772421a15b387dd1fb2d6a94aee438'],
  ['4097 x', Buffer.alloc(4097, 'x'), '811a03c56e5d606a19bde01be5d76cd59cb5a97dc077aef8ab76e259ef2e2fd0'],
  ['4128 x', Buffer.alloc(4128, 'x'), 'eea9773cb08f05f3e04b8080ed6a184e0742b2b503142ab0b6ed07119a45b38b'],
  ['FF FE', Buffer.from([0xff, 0xfe]), '1995adb70aa8869a4a723a430184258d483b4bf2f6a58da5c4ce11efe514990f'],
]

test.each(vectors)('the hash of %s', (_name, bytes, hash) => {
  expect(contentHash(bytes)).toBe(hash)
  expect(streamed(createBlake3(), bytes, 7)).toBe(hash)
})

test('every size around a block, a chunk, four chunks and the window of the module', () => {
  const around = (size: number): number[] => [size - 1, size, size + 1]
  const chunks = Array.from({ length: 20 }, (_, at) => (at + 1) * 1024)
  const sizes = [
    0,
    1,
    ...around(64),
    ...around(128),
    ...chunks.flatMap(around),
    ...around(65536),
    ...around(66560),
    ...around(131072),
    1_000_003,
  ]
  for (const size of sizes) {
    const bytes = numbered(size)
    const expected = expectedHash(bytes)
    expect([size, contentHash(bytes)]).toEqual([size, expected])
    for (const step of [1000, 1024, 5000, 70_000])
      expect([size, step, streamed(createBlake3(), bytes, step)]).toEqual([size, step, expected])
  }
})

test('a small hash after a larger one is not affected by it', () => {
  for (const size of [1024, 0, 70_000, 1, 63, 64, 5000, 65, 127, 128, 129, 100, 1000, 1023, 1024, 3]) {
    expect([size, contentHash(numbered(size))]).toEqual([size, expectedHash(numbered(size))])
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1100 }), (bytes) => contentHash(bytes) === expectedHash(bytes)),
  )
})

test('two streams that interleave, with other hashes between them', () => {
  const [left, right] = [numbered(50_000), Buffer.alloc(70_000, 'right')]
  const [a, b] = [createBlake3(), createBlake3()]
  for (let at = 0; at < 70_000; at += 7_000) {
    a.update(left.subarray(at, at + 7_000))
    b.update(right.subarray(at, at + 7_000))
    contentHash(numbered(at))
  }
  expect(a.digest()).toBe(expectedHash(left))
  expect(b.digest()).toBe(expectedHash(right))
})

test('a stream is the same however it is cut; it copies what it keeps; it may go on after a digest', () => {
  const cuts = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 12 })
  fc.assert(
    fc.property(cuts, (parts) => {
      const stream = createBlake3()
      parts.forEach((part, at) => {
        const reused = Uint8Array.from(part)
        stream.update(reused)
        reused.fill(0)
        if (at % 3 === 0) expect(stream.digest()).toBe(expectedHash(Buffer.concat(parts.slice(0, at + 1))))
      })
      expect(stream.digest()).toBe(expectedHash(Buffer.concat(parts)))
      expect(stream.digest()).toBe(expectedHash(Buffer.concat(parts)))
    }),
  )
})

test('a program that replaces WebAssembly does not change a hash', async () => {
  const bytes = numbered(3000)
  // Its instance is not made before the first hash.
  vi.resetModules()
  const fresh = await import('./blake3.ts')
  const api = Object.getOwnPropertyDescriptor(globalThis, 'WebAssembly')
  if (api === undefined) throw new Error('no WebAssembly here')
  Object.defineProperty(globalThis, 'WebAssembly', {
    configurable: true,
    value: { Module: null, Instance: null },
  })
  try {
    expect(fresh.contentHash(bytes)).toBe(expectedHash(bytes))
  } finally {
    Object.defineProperty(globalThis, 'WebAssembly', api)
  }
})

test('a content hash is 64 lower-case hex digits and nothing else', () => {
  const hash = contentHash(Buffer.from('x'))
  expect(isContentHash(hash)).toBe(true)
  for (const name of ['', '../x', hash.toUpperCase(), `${hash}0`, `${hash}\n`, `/${hash.slice(1)}`])
    expect(isContentHash(name)).toBe(false)
})

/** No chunk of these bytes equals another. */
function numbered(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 7919 + (at >> 10)) % 251)
}

function streamed(stream: Blake3Stream, bytes: Uint8Array, step: number): string {
  for (let at = 0; at < bytes.byteLength; at += step) stream.update(bytes.subarray(at, at + step))
  return stream.digest()
}
