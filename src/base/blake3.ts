/**
 * BLAKE3, the one hash of every format here.
 *
 * Three engines, proven equal by a test. The prebuilt addon when it is installed, loaded synchronously once there is enough to hash; WebAssembly, which
 * can only be instantiated asynchronously, by `prepareBlake3()`; and plain JavaScript for the first few kilobytes, and where neither of the others is
 * there. So hashing is synchronous everywhere and needs no preparation; preparing makes it fast without the addon. What fits into one chunk goes, after
 * the first few, to a kernel of our own: a call of the addon costs several times as much.
 */
import { createRequire } from 'node:module'
import { type Blake3Kernel, CHUNK_BYTES, createBlake3Kernel, ROOT } from './blake3-kernel.ts'
import { ScriptBlake3 } from './blake3-script.ts'

declare const hashBrand: unique symbol
/** 64 lower-case hex digits. */
export type ContentHash = string & { readonly [hashBrand]: 'blake3' }

export type Blake3Stream = {
  update(bytes: Uint8Array): void
  digest(): ContentHash
}

export type Blake3Engine = {
  readonly name: 'native' | 'wasm' | 'script'
  hash(bytes: Uint8Array): ContentHash
  stream(): Blake3Stream
}

const HEX_64 = /^[0-9a-f]{64}$/

export function isContentHash(text: string): text is ContentHash {
  return HEX_64.test(text)
}

export function contentHash(bytes: Uint8Array): ContentHash {
  const length = bytes.byteLength
  if (length > CHUNK_BYTES) return engineFor(length).hash(bytes)
  small += 1
  if (small > FIRST_FEW && kernel === undefined) kernel = createBlake3Kernel()
  return kernel === undefined || kernel === null ? engineFor(length).hash(bytes) : chunkHash(kernel, bytes)
}

/** Of at most one chunk. */
export function chunkHash({ input, value, chunk }: Blake3Kernel, bytes: Uint8Array): ContentHash {
  input.set(bytes)
  chunk(bytes.byteLength, 0, ROOT)
  return value.toString('hex') as ContentHash
}

export function createBlake3(): Blake3Stream {
  return chosen === null ? lateStream() : chosen.stream()
}

/** Loads the fastest engine that can be had. Worth awaiting before opening something large where the addon is missing. */
export async function prepareBlake3(): Promise<void> {
  chosen ??= loadNativeBlake3() ?? (await loadWasmBlake3())
}

/** Up to here a stream keeps its bytes and has no engine yet. */
const MOST_PENDING = 4096
/** Making the kernel takes as long as so many small hashes by the script. */
const FIRST_FEW = 16
/** Hashing so many bytes in plain JavaScript takes as long as loading the addon. */
const SCRIPT_BYTES = 32 * 1024

let chosen: Blake3Engine | null = null
let kernel: Blake3Kernel | null | undefined
let scripted = 0
let small = 0

function engineFor(bytes: number): Blake3Engine {
  if (chosen !== null) return chosen
  scripted += bytes
  if (scripted <= SCRIPT_BYTES) return scriptBlake3
  // Loading the addon may itself be told on a tape, and hashed: by the script, since half an addon has no hasher.
  chosen = scriptBlake3
  chosen = loadNativeBlake3() ?? scriptBlake3
  return chosen
}

function lateStream(): Blake3Stream {
  let pending: Uint8Array[] = []
  let bytesPending = 0
  let stream: Blake3Stream | null = null
  const begin = (bytes: number): Blake3Stream => {
    const begun = engineFor(bytes).stream()
    for (const each of pending) begun.update(each)
    pending = []
    return begun
  }
  return {
    update(bytes) {
      bytesPending += bytes.byteLength
      if (stream === null && bytesPending <= MOST_PENDING) pending.push(bytes.slice())
      else {
        stream ??= begin(bytesPending)
        stream.update(bytes)
      }
    },
    digest() {
      stream ??= begin(bytesPending)
      return stream.digest()
    },
  }
}

export const scriptBlake3: Blake3Engine = {
  name: 'script',
  hash(bytes) {
    const hasher = new ScriptBlake3()
    hasher.update(bytes)
    return hasher.digest() as ContentHash
  },
  stream() {
    const hasher = new ScriptBlake3()
    return { update: (bytes) => hasher.update(bytes), digest: () => hasher.digest() as ContentHash }
  },
}

type NativeModule = {
  blake3(input: Uint8Array): Buffer
  Blake3Hasher: new () => { reset(): void; update(input: Uint8Array): void; digest(format: 'hex'): string }
}

export function loadNativeBlake3(): Blake3Engine | null {
  const native = nativeModule()
  if (native === null) return null
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

// Facts of the machine: read before a program is recorded, so that they are never mistaken for its reads.
const { platform, arch } = process
const LIBRARIES: Readonly<Record<string, readonly string[]>> = { linux: ['-gnu', '-musl'], win32: ['-msvc'] }

/**
 * The binary itself, without the script of its package that looks for it: that one reads variables and files, perhaps amid a program that is being
 * recorded.
 */
function nativeModule(): NativeModule | null {
  const require = createRequire(import.meta.url)
  for (const library of LIBRARIES[platform] ?? ['']) {
    try {
      return createRequire(require.resolve('@napi-rs/blake-hash'))(`@napi-rs/blake-hash-${platform}-${arch}${library}`)
    } catch {
      // An optional dependency: not installed, or no prebuilt binary for this platform. The other engines give the same digests.
    }
  }
  return null
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
