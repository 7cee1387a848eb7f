import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Blake3Engine, chunkHash, contentHash, createBlake3, isContentHash, loadNativeBlake3, loadWasmBlake3, scriptBlake3 } from './blake3.ts'
import { createBlake3Kernel } from './blake3-kernel.ts'

const native = loadNativeBlake3()
const wasm = await loadWasmBlake3()

const vectors: readonly [name: string, bytes: Uint8Array, hash: string][] = [
  ['nothing', new Uint8Array(), 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
  ['hi', Buffer.from('hi\n'), '0b8b60248fad7ac6dfac221b7e01a8b91c772421a15b387dd1fb2d6a94aee438'],
  ['4097 x', Buffer.alloc(4097, 'x'), '811a03c56e5d606a19bde01be5d76cd59cb5a97dc077aef8ab76e259ef2e2fd0'],
  ['4128 x', Buffer.alloc(4128, 'x'), 'eea9773cb08f05f3e04b8080ed6a184e0742b2b503142ab0b6ed07119a45b38b'],
  ['FF FE', Buffer.from([0xff, 0xfe]), '1995adb70aa8869a4a723a430184258d483b4bf2f6a58da5c4ce11efe514990f'],
]

test('the prebuilt engine is installed here, so that all are compared', () => {
  expect(native?.name).toBe('native')
})

test.each(vectors)('all engines know the hash of %s', (_name, bytes, hash) => {
  for (const engine of engines()) expect(engine.hash(bytes)).toBe(hash)
})

test('all engines agree at every size around a block, a chunk, a tree of chunks and the one-shot threshold', () => {
  for (const size of [0, 1, 63, 64, 65, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 3073, 5120, 7168, 16384, 16385, 100_000]) {
    const bytes = Buffer.alloc(size, 'reprise')
    expect(new Set(engines().map((engine) => engine.hash(bytes))).size).toBe(1)
  }
})

test('the kernel agrees at every size of a chunk, whatever was hashed before', () => {
  const kernel = createBlake3Kernel()
  if (kernel === null) throw new Error('no WebAssembly here')
  for (const size of [1024, 0, 1, 63, 64, 65, 127, 128, 129, 100, 1000, 1023, 1024, 3]) {
    const bytes = Buffer.alloc(size, 'reprise')
    expect(chunkHash(kernel, bytes), `${size}`).toBe(wasm.hash(bytes))
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 1024 }), (bytes) => chunkHash(kernel, bytes) === wasm.hash(bytes)))
})

test('what is hashed after the first few is hashed the same', () => {
  for (let n = 0; n < 100; n += 1) {
    const bytes = Buffer.alloc(n * 11, `${n}`)
    expect(contentHash(bytes)).toBe(wasm.hash(bytes))
  }
})

test('a stream gives the hash of the whole, also when two streams interleave', () => {
  const [left, right] = [Buffer.alloc(5000, 'left'), Buffer.alloc(7000, 'right')]
  for (const engine of engines()) {
    const [a, b] = [engine.stream(), engine.stream()]
    for (let at = 0; at < 7000; at += 700) {
      a.update(left.subarray(at, at + 700))
      b.update(right.subarray(at, at + 700))
    }
    expect(a.digest()).toBe(engine.hash(left))
    expect(b.digest()).toBe(engine.hash(right))
  }
})

test('a stream is the same however it is cut, before and after an engine is loaded for it', () => {
  const cuts = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 12 })
  fc.assert(
    fc.property(cuts, (parts) => {
      const expected = wasm.hash(Buffer.concat(parts))
      for (const stream of [createBlake3(), scriptBlake3.stream()]) {
        for (const part of parts) {
          const reused = Uint8Array.from(part)
          stream.update(reused)
          reused.fill(0)
        }
        expect(stream.digest()).toBe(expected)
        expect(stream.digest()).toBe(expected)
      }
    }),
  )
  expect(contentHash(Buffer.alloc(100_000, 'x'))).toBe(wasm.hash(Buffer.alloc(100_000, 'x')))
})

test('a content hash is 64 lower-case hex digits and nothing else', () => {
  const hash = wasm.hash(Buffer.from('x'))
  expect(isContentHash(hash)).toBe(true)
  for (const name of ['', '../x', hash.toUpperCase(), `${hash}0`, `${hash}\n`, `/${hash.slice(1)}`]) expect(isContentHash(name)).toBe(false)
})

function engines(): Blake3Engine[] {
  return [...(native === null ? [] : [native]), wasm, scriptBlake3]
}
