/**
 * Decodes content encodings piece by piece, synchronously: each call returns the output of the bytes so far.
 *
 * Node has no such function. Its engines can run a piece synchronously, but then close themselves, so the
 * close is postponed between two pieces.
 */
import type { EventEmitter } from 'node:events'
import zlib from 'node:zlib'

/** Null if this Node cannot decode one of the encodings. */
export function stepwiseDecoder(encodings: readonly string[], first: Uint8Array): StepwiseDecoder | null {
  const engines: Engine[] = []
  for (const encoding of [...encodings].reverse()) {
    const engine = engineOf(encoding, engines.length === 0 ? first : null)
    if (engine === null) return null
    engines.push(engine)
  }
  return new StepwiseDecoder(engines)
}

export class StepwiseDecoder {
  readonly #engines: readonly Engine[]

  constructor(engines: readonly Engine[]) {
    this.#engines = engines
  }

  /** Throws if the bytes are not in their declared encoding. */
  push(bytes: Uint8Array): Uint8Array {
    return this.#engines.reduce((current, engine) => step(engine, current), bytes)
  }
}

type Engine = { readonly engine: EventEmitter; readonly flush: number }

/** Maximum output of one piece; more is an error. */
const MOST_OF_A_PIECE = 64 * 1024 * 1024

function engineOf(encoding: string, first: Uint8Array | null): Engine | null {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  const options = { maxOutputLength: MOST_OF_A_PIECE }
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return { engine: zlib.createGunzip(options), flush: Z_SYNC_FLUSH }
    case 'deflate': {
      const isRaw = first !== null && !hasZlibFrame(first)
      return {
        engine: isRaw ? zlib.createInflateRaw(options) : zlib.createInflate(options),
        flush: Z_SYNC_FLUSH,
      }
    }
    case 'br':
      return { engine: zlib.createBrotliDecompress(options), flush: BROTLI_OPERATION_FLUSH }
    case 'zstd': {
      const create: unknown = Reflect.get(zlib, 'createZstdDecompress')
      const flush: unknown = Reflect.get(zlib.constants, 'ZSTD_e_flush')
      if (typeof create !== 'function' || typeof flush !== 'number') return null
      return { engine: create(options), flush }
    }
    default:
      return null
  }
}

function hasZlibFrame(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

function step({ engine, flush }: Engine, bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength === 0) return bytes
  const handle: object = Reflect.get(engine, '_handle')
  const close: unknown = Reflect.get(handle, 'close')
  Reflect.set(handle, 'close', () => undefined)
  try {
    const given: Uint8Array = Reflect.apply(Reflect.get(engine, '_processChunk'), engine, [bytes, flush])
    // The engine writes the next piece into the same memory.
    return new Uint8Array(given)
  } finally {
    // The engine adds one listener for each piece, and later reports a thrown error a second time.
    engine.removeAllListeners('error')
    engine.on('error', () => undefined)
    Reflect.set(engine, '_handle', handle)
    Reflect.set(handle, 'close', close)
  }
}
