/**
 * Randomness: `Math.random`, the random functions of `node:crypto` and of Web Crypto.
 *
 * A value that is returned at once is a read. A value delivered to a callback is an effect, so that its
 * position among other outcomes is kept. Calls that Node rejects go to the original, which has the right
 * error.
 */
import { label } from '../../base/index.ts'
import { randomOriginals, randomOwners } from '../../real/random-owners.ts'
import { isReadByUndici } from '../caller.ts'
import { worldOf } from '../clock/clock-driver.ts'
import { activeSession } from '../context.ts'
import { type AnyFunction, allPatches, type Patch, type PatchSet, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { fillPlace, isInteger, isIntegerView, isRange, isSize, isUuidOptions } from './arguments.ts'
import { callbackBytes, callbackText } from './callbacks.ts'
import { integerBetween, uuidV4, uuidV7 } from './derived.ts'
import { sourceOf } from './source.ts'

export { useRandomSource } from './source.ts'

const MATH_RANDOM = label('Math.random')
const RANDOM_BYTES = label('crypto.randomBytes')
const RANDOM_INT = label('crypto.randomInt')
const RANDOM_UUID = label('crypto.randomUUID')
const RANDOM_UUID_V7 = label('crypto.randomUUIDv7')
const RANDOM_FILL = label('crypto.randomFillSync')
const GET_RANDOM_VALUES = label('crypto.getRandomValues')

export const randomSet: PatchSet = {
  atOnce: () => [patchFunction(randomOwners.math, 'random', mathRandom)],
  late: [{ module: 'crypto', parts: ['internal/crypto/webcrypto'], make: cryptoPatches }],
}

export function randomPatches(): Patch[] {
  return allPatches(randomSet)
}

function cryptoPatches(): Patch[] {
  randomOriginals()
  const { crypto, cryptoPrototype } = randomOwners
  return [
    patchFunction(crypto, 'randomBytes', randomBytes),
    ...['pseudoRandomBytes', 'prng', 'rng']
      .filter((name) => Object.hasOwn(crypto, name))
      .map(oldNameOfRandomBytes),
    patchFunction(crypto, 'randomInt', randomInt),
    patchFunction(crypto, 'randomUUID', randomUuid),
    ...(Object.hasOwn(crypto, 'randomUUIDv7') ? [patchFunction(crypto, 'randomUUIDv7', randomUuidV7)] : []),
    patchFunction(crypto, 'randomFillSync', randomFillSync),
    patchFunction(crypto, 'randomFill', randomFill),
    patchFunction(cryptoPrototype, 'getRandomValues', getRandomValues),
    patchFunction(cryptoPrototype, 'randomUUID', webRandomUuid),
  ]
}

function mathRandom(original: AnyFunction): AnyFunction {
  return function (this: unknown): unknown {
    const session = activeSession('random')
    if (session === null) return Reflect.apply(original, this, [])
    return Number(readText(session, MATH_RANDOM, () => String(sourceOf(session).double())))
  }
}

function randomBytes(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('random')
    const [given, callback] = args
    if (session === null || !isSize(given) || !isCallback(callback))
      return Reflect.apply(original, this, args)
    const size = Math.trunc(given)
    if (callback !== undefined)
      return callbackBytes(
        session,
        `randomBytes ${size}`,
        size,
        (bytes) => callback(null, ownBuffer(bytes)),
        callback,
      )
    return ownBuffer(session.readRandom(RANDOM_BYTES, () => sourceOf(session).bytes(size), size))
  }
}

/** Old names of `randomBytes`, behind getters. */
function oldNameOfRandomBytes(property: string): Patch {
  const get = (): unknown => randomOwners.crypto.randomBytes
  return {
    owner: randomOwners.crypto,
    property,
    replace: ({ enumerable, configurable }) => ({ get, enumerable, configurable }) as PropertyDescriptor,
  }
}

function randomInt(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('random')
    // randomInt(max), randomInt(max, callback), randomInt(min, max), randomInt(min, max, callback)
    const [min, max, callback] =
      args[1] === undefined || typeof args[1] === 'function' ? [0, args[0], args[1]] : args
    if (session === null || !isInteger(min) || !isInteger(max) || !isRange(min, max) || !isCallback(callback))
      return Reflect.apply(original, this, args)
    const draw = (): string => String(integerBetween(sourceOf(session), min, max))
    // Node passes `undefined`, not `null`, for no error here.
    if (callback !== undefined)
      return callbackText(session, `randomInt ${min} ${max}`, draw, (text) =>
        callback(undefined, Number(text)),
      )
    return Number(readText(session, RANDOM_INT, draw))
  }
}

function randomUuid(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('random')
    if (session === null || !isUuidOptions(args[0])) return Reflect.apply(original, this, args)
    return readText(session, RANDOM_UUID, () => uuidV4(sourceOf(session)))
  }
}

/**
 * It contains the time as well. The original reads the machine's clock, so a seeded source makes one from the
 * given time.
 */
function randomUuidV7(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('random')
    if (session === null || !isUuidOptions(args[0])) return Reflect.apply(original, this, args)
    return readText(session, RANDOM_UUID_V7, () => uuidV7(sourceOf(session), worldOf(session).wallMs()))
  }
}

function webRandomUuid(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = this === randomOwners.webcrypto ? activeSession('random') : null
    if (session === null) return Reflect.apply(original, this, args)
    return readText(session, RANDOM_UUID, () => uuidV4(sourceOf(session)))
  }
}

function randomFillSync(original: AnyFunction): AnyFunction {
  const fill = function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('random')
    const place = session === null ? null : fillPlace(args[0], args[1], args[2])
    if (session === null || place === null || place.byteLength === 0)
      return Reflect.apply(original, this, args)
    if (session.readsMasks !== true && MASKS.has(place.byteLength) && isReadByUndici(fill))
      return Reflect.apply(original, this, args)
    place.set(
      session.readRandom(RANDOM_FILL, () => sourceOf(session).bytes(place.byteLength), place.byteLength),
    )
    return args[0]
  }
  return fill
}

/**
 * How many bytes for masks the WebSocket of Node reads at once, in 24 and 22. It keeps them for later sessions, and
 * messages are recorded without their masks.
 */
const MASKS: ReadonlySet<number> = new Set([8192, 16_386])

function randomFill(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('random')
    // randomFill(buffer, callback), (buffer, offset, callback), (buffer, offset, size, callback)
    const callback = args.slice(1, 4).find((argument) => typeof argument === 'function')
    const numbers = args.slice(1, callback === undefined ? 4 : args.indexOf(callback))
    const place = session === null ? null : fillPlace(args[0], numbers[0], numbers[1])
    if (
      session === null ||
      place === null ||
      place.byteLength === 0 ||
      !isCallback(callback) ||
      callback === undefined
    ) {
      return Reflect.apply(original, this, args)
    }
    const size = place.byteLength
    return callbackBytes(
      session,
      `randomFill ${size}`,
      size,
      (bytes) => {
        place.set(bytes)
        callback(null, args[0])
      },
      callback,
    )
  }
}

function getRandomValues(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = this === randomOwners.webcrypto ? activeSession('random') : null
    const [view] = args
    if (session === null || !isIntegerView(view) || view.byteLength > 65_536)
      return Reflect.apply(original, this, args)
    const place = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    if (place.byteLength > 0)
      place.set(
        session.readRandom(
          GET_RANDOM_VALUES,
          () => sourceOf(session).bytes(place.byteLength),
          place.byteLength,
        ),
      )
    return view
  }
}

function readText(session: Session, api: typeof MATH_RANDOM, draw: () => string): string {
  const bytes = session.readRandom(api, () => Buffer.from(draw(), 'latin1'))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** As Node's own: a Buffer that shares its memory with no other. */
function ownBuffer(bytes: Uint8Array): Buffer {
  const buffer = new ArrayBuffer(bytes.byteLength)
  new Uint8Array(buffer).set(bytes)
  return Buffer.from(buffer)
}

type Callback = (error: unknown, value?: unknown) => unknown

function isCallback(value: unknown): value is Callback | undefined {
  return value === undefined || typeof value === 'function'
}
