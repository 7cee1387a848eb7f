/**
 * Compression: every asynchronous write of a zlib stream or function, at the native handle that all of them
 * share.
 *
 * A write is really done, in the thread pool, and its end waits for its turn. A small piece is decompressed
 * synchronously instead and delivered in the next tick, in both modes: that takes no longer than a thread
 * switch and needs no record. Also, the number of pieces of a response may differ in a replay whose body
 * contains a placeholder.
 *
 * Decision 0086.
 */
import { realNextTick, zlibHandlePrototypes } from '../../real/offthread-owners.ts'
import { activeSession } from '../context.ts'
import { type Done, startHeld } from '../held.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'

type Handle = { onerror: AnyFunction; writeSync: AnyFunction }

/** Up to this many bytes of input a piece is decompressed synchronously. */
const ON_THE_SPOT_BYTES = 1024 * 1024
const DECOMPRESSORS = new Set([
  'Gunzip',
  'Inflate',
  'InflateRaw',
  'Unzip',
  'BrotliDecompress',
  'ZstdDecompress',
])
/** Positions in `write(flush, input, offset, length, …)`. */
const INPUT_LENGTH = 3

/** The callback of Node for the end of a write of this handle. */
const callbacks = new WeakMap<object, AnyFunction>()
const underWay = new WeakMap<object, Done>()

export function zlibPatches(): Patch[] {
  return zlibHandlePrototypes().flatMap((prototype) => [
    patchFunction(prototype, 'init', init),
    patchFunction(prototype, 'write', write),
  ])
}

function init(original: AnyFunction): AnyFunction {
  return function (this: Handle, ...args: unknown[]): unknown {
    const callback = args.find((argument) => typeof argument === 'function') as AnyFunction | undefined
    if (callback === undefined) return Reflect.apply(original, this, args)
    callbacks.set(this, callback)
    const held = function (this: Handle): void {
      const done = underWay.get(this)
      if (done === undefined) {
        Reflect.apply(callback, this, [])
        return
      }
      underWay.delete(this)
      done(() => Reflect.apply(callback, this, []))
    }
    return Reflect.apply(
      original,
      this,
      args.map((argument) => (argument === callback ? held : argument)),
    )
  }
}

function write(original: AnyFunction): AnyFunction {
  return function (this: Handle, ...args: unknown[]): unknown {
    const session = activeSession('offthread')
    const callback = callbacks.get(this)
    // A handle from before the patches is called directly; nothing can be held back.
    if (session === null || callback === undefined) return Reflect.apply(original, this, args)
    const name = streamName(this)
    if (DECOMPRESSORS.has(name) && Number(args[INPUT_LENGTH]) <= ON_THE_SPOT_BYTES)
      return writeOnTheSpot(session, name, this, args, callback)
    const done = startHeld(session, `zlib.${name}`)
    const { onerror } = this
    const finished: Done = (deliver) => {
      this.onerror = onerror
      done(deliver)
    }
    underWay.set(this, finished)
    this.onerror = function (this: Handle, ...failure: unknown[]): void {
      underWay.delete(this)
      finished(() => Reflect.apply(onerror, this, failure))
    }
    return Reflect.apply(original, this, args)
  }
}

function writeOnTheSpot(
  session: Session,
  name: string,
  handle: Handle,
  args: unknown[],
  callback: AnyFunction,
): void {
  let failure: unknown[] | null = null
  const { onerror } = handle
  handle.onerror = (...error: unknown[]) => {
    failure = error
  }
  try {
    handle.writeSync(...args)
  } finally {
    handle.onerror = onerror
  }
  if (failure === null) {
    realNextTick(() => Reflect.apply(callback, handle, []))
    return
  }
  // A failure takes its turn: if it were delivered before the promises of this turn have settled, fetch would
  // not be listening yet.
  const failureArguments = failure
  startHeld(session, `zlib.${name}`)(() => Reflect.apply(onerror, handle, failureArguments))
}

/**
 * The class of the stream that owns the handle. A subclass of the program is identified by the class that it
 * extends.
 */
function streamName(handle: object): string {
  const symbol = Object.getOwnPropertySymbols(handle).find(
    ({ description }) => description === 'owner_symbol',
  )
  let owner: unknown = symbol === undefined ? null : Reflect.get(handle, symbol)
  while (typeof owner === 'object' && owner !== null) {
    owner = Object.getPrototypeOf(owner)
    const made: unknown =
      typeof owner === 'object' && owner !== null ? Reflect.get(owner, 'constructor') : null
    if (typeof made === 'function' && KNOWN.has(made.name)) return made.name
  }
  return 'write'
}

const KNOWN = new Set([...DECOMPRESSORS, 'Gzip', 'Deflate', 'DeflateRaw', 'BrotliCompress', 'ZstdCompress'])
