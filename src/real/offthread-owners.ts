/**
 * The objects whose work runs off the main thread, captured before anything is patched: zlib's native
 * handles, key derivation and Web Crypto, WebAssembly's compilers, message ports.
 */
import crypto from 'node:crypto'
import process from 'node:process'
import workerThreads from 'node:worker_threads'
import zlib from 'node:zlib'
import { nativeBinding } from './native-binding.ts'

const { nextTick } = process
/** A tick, in the program's own order. */
export const realNextTick: (callback: () => void) => void = (callback) => nextTick(callback)

/**
 * Every class of Node's handles does its work by `write`, and receives at `init` the callback for its
 * completion.
 */
const ZLIB_HANDLES = {
  Zlib: 'Gunzip',
  BrotliEncoder: 'BrotliCompress',
  BrotliDecoder: 'BrotliDecompress',
  ZstdCompress: 'ZstdCompress',
  ZstdDecompress: 'ZstdDecompress',
} as const

/**
 * The prototypes of the native handles, of Node's native part if it gives them. Else they can be had only
 * from a stream: one of each is made and closed.
 */
export function zlibHandlePrototypes(): readonly object[] {
  const native = nativeBinding('zlib')
  return Object.entries(ZLIB_HANDLES).flatMap(([handleName, streamName]) => {
    const handleClass: unknown = native === undefined ? undefined : Reflect.get(native, handleName)
    if (typeof handleClass === 'function') return [handleClass.prototype as object]
    if (native !== undefined && handleName.startsWith('Zstd')) return []
    const Stream: unknown = Reflect.get(zlib, streamName)
    if (typeof Stream !== 'function') return []
    // The smallest buffer there is: nothing will be written to it.
    const handle: unknown = Reflect.get(Reflect.construct(Stream, [{ chunkSize: 64 }]), '_handle')
    if (!isHandle(handle)) return []
    handle.close()
    return [Object.getPrototypeOf(handle) as object]
  })
}

function isHandle(value: unknown): value is { close(): void } {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
}

/** The classes of WebAssembly that compile at once. */
type Compilers = {
  readonly Module: new (bytes: unknown) => object
  readonly Instance: new (module: unknown, imports: unknown) => object
}

export const offthreadOwners = {
  get crypto(): typeof crypto {
    return crypto
  },
  get hashPrototype(): object {
    return crypto.Hash.prototype as object
  },
  get hmacPrototype(): object {
    return crypto.Hmac.prototype as object
  },
  get signPrototype(): object {
    return crypto.Sign.prototype as object
  },
  get subtle(): typeof crypto.webcrypto.subtle {
    return crypto.webcrypto.subtle
  },
  get subtlePrototype(): object {
    return Object.getPrototypeOf(crypto.webcrypto.subtle) as object
  },
  webAssembly: Reflect.get(globalThis, 'WebAssembly') as object & Compilers,
  // Getters: Node loads its streams for this module, and most programs start no session that needs it.
  get workerThreads(): typeof workerThreads {
    return workerThreads
  },
  globals: globalThis,
  get messagePortPrototype(): object {
    return workerThreads.MessagePort.prototype as object
  },
} as const

/**
 * Node hands a message to a port by calling this method of it, with the ports that came along set aside on
 * the port itself.
 */
export const portDispatch: symbol = Symbol.for('nodejs.internal.kHybridDispatch')
export const receivingPorts: symbol = Symbol.for('nodejs.internal.kCurrentlyReceivingPorts')
