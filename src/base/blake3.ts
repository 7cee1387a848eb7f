/**
 * BLAKE3, the one hash of every format here.
 *
 * Two engines, proven equal by a test: the prebuilt addon when it is installed (loaded at first use, synchronously), else WebAssembly, which can
 * only be instantiated asynchronously. So hashing is synchronous everywhere, and whoever opens something that will hash awaits `prepareBlake3()`
 * first: a no-op with the addon.
 */
import { createRequire } from 'node:module'

declare const hashBrand: unique symbol
/** 64 lower-case hex digits. */
export type ContentHash = string & { readonly [hashBrand]: 'blake3' }

export type Blake3Stream = {
  update(bytes: Uint8Array): void
  digest(): ContentHash
}

export type Blake3Engine = {
  readonly name: 'native' | 'wasm'
  hash(bytes: Uint8Array): ContentHash
  stream(): Blake3Stream
}

const HEX_64 = /^[0-9a-f]{64}$/

export function isContentHash(text: string): text is ContentHash {
  return HEX_64.test(text)
}

export function contentHash(bytes: Uint8Array): ContentHash {
  return engine().hash(bytes)
}

export function createBlake3(): Blake3Stream {
  return engine().stream()
}

/** Makes the hash usable where the addon is missing. Call it before opening anything that hashes. */
export async function prepareBlake3(): Promise<void> {
  chosen ??= loadNativeBlake3() ?? (await loadWasmBlake3())
}

let chosen: Blake3Engine | null = null

function engine(): Blake3Engine {
  chosen ??= loadNativeBlake3()
  if (chosen === null) throw new Error('BLAKE3 is not ready: await prepareBlake3() first (the optional package @napi-rs/blake-hash is not installed)')
  return chosen
}

type NativeModule = {
  blake3(input: Uint8Array): Buffer
  Blake3Hasher: new () => { reset(): void; update(input: Uint8Array): void; digest(format: 'hex'): string }
}

export function loadNativeBlake3(): Blake3Engine | null {
  let native: NativeModule
  try {
    native = createRequire(import.meta.url)('@napi-rs/blake-hash')
  } catch {
    // An optional dependency: not installed, or no prebuilt binary for this platform. The WebAssembly engine gives the same digests.
    return null
  }
  const reused = new native.Blake3Hasher()
  return {
    name: 'native',
    hash(bytes) {
      // Measured: a reused hasher wins up to about 16 KB, the one-shot call (several lanes at once) above.
      if (bytes.byteLength > 16384) return native.blake3(bytes).toString('hex') as ContentHash
      reused.reset()
      reused.update(bytes)
      return reused.digest('hex') as ContentHash
    },
    stream() {
      const hasher = new native.Blake3Hasher()
      return { update: (bytes) => void hasher.update(bytes), digest: () => hasher.digest('hex') as ContentHash }
    },
  }
}

export async function loadWasmBlake3(): Promise<Blake3Engine> {
  const { createBLAKE3 } = await import('hash-wasm')
  const hasher = await createBLAKE3()
  return {
    name: 'wasm',
    hash: (bytes) => hasher.init().update(bytes).digest('hex') as ContentHash,
    stream() {
      // One instance serves all streams: each keeps its state between calls.
      let state = hasher.init().save()
      return {
        update(bytes) {
          state = hasher.load(state).update(bytes).save()
        },
        digest: () => hasher.load(state).digest('hex') as ContentHash,
      }
    },
  }
}
