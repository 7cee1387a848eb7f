/**
 * Keyed operations of `node:crypto` that return at once: hashes, HMACs, key derivation. If their input
 * contains a secret, their result is one: a replay, which has no secret, returns a value of the same length.
 *
 * Does not cover a hash that is written to as a stream. Signatures: signatures.ts.
 *
 * Decision 0323.
 */
import { type Label, label } from '../../base/index.ts'
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { activeSession } from '../context.ts'
import { noteLogin } from '../logins.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'

/** Hashes with a secret in them. */
const tainted = new WeakSet<object>()
/** Which arguments of a function may be secrets. */
const INPUTS: Readonly<Record<string, readonly number[]>> = {
  pbkdf2Sync: [0],
  scryptSync: [0],
  hkdfSync: [1],
  hash: [1],
}

export function keyedPatches(): Patch[] {
  const { crypto, hashPrototype, hmacPrototype } = offthreadOwners
  return [
    ...Object.entries(INPUTS)
      .filter(([name]) => typeof Reflect.get(crypto, name) === 'function')
      .map(([name, inputs]) => patchFunction(crypto, name, atOnce(name, inputs))),
    patchFunction(crypto, 'createHmac', createHmac),
    ...[hashPrototype, hmacPrototype].flatMap((prototype) => [
      patchFunction(prototype, 'update', update),
      patchFunction(prototype, 'digest', digest),
    ]),
  ]
}

function atOnce(name: string, inputs: readonly number[]): (original: AnyFunction) => AnyFunction {
  const api = label(`crypto.${name}`)
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('offthread')
      if (session === null || !inputs.some((at) => isSecret(session, args[at])))
        return Reflect.apply(original, this, args)
      if (name !== 'hash') return made(session, api, () => Reflect.apply(original, this, args))
      const encoding = typeof args[2] === 'string' ? args[2] : 'hex'
      const bytes = made(session, api, () => Reflect.apply(original, this, [args[0], args[1], 'buffer']))
      return encoding === 'buffer' ? bytes : Buffer.from(bytes).toString(encoding as BufferEncoding)
    }
}

function createHmac(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const hmac: object = Reflect.apply(original, this, args)
    const session = activeSession('offthread')
    if (session !== null && isSecret(session, args[1])) tainted.add(hmac)
    return hmac
  }
}

function update(original: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]): unknown {
    const session = tainted.has(this) ? null : activeSession('offthread')
    if (session !== null && isSecret(session, args[0], args[1])) tainted.add(this)
    return Reflect.apply(original, this, args)
  }
}

const DIGEST = label('crypto.digest')

function digest(original: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]): unknown {
    const session = tainted.has(this) ? activeSession('offthread') : null
    if (session === null) return Reflect.apply(original, this, args)
    const bytes = made(session, DIGEST, () => Reflect.apply(original, this, []))
    const [encoding] = args
    return typeof encoding === 'string' && encoding !== 'buffer'
      ? Buffer.from(bytes).toString(encoding as BufferEncoding)
      : bytes
  }
}

/** The result of an operation with a secret in its input. */
export function made(
  session: Session,
  api: Label,
  perform: () => Uint8Array,
  isKept?: (value: Uint8Array) => (at: number) => boolean,
): Buffer {
  const bytes = session.derived?.make(api, () => new Uint8Array(perform()), isKept) ?? perform()
  noteLogin(session, bytes)
  return Buffer.from(bytes)
}

/** Whether an argument of an operation contains a secret. */
export function isSecret(session: Session, value: unknown, encoding?: unknown): boolean {
  const bytes = bytesOf(value, encoding)
  return bytes !== null && session.derived?.holds(bytes) === true
}

export function bytesOf(value: unknown, encoding: unknown): Uint8Array | null {
  if (typeof value === 'string')
    return Buffer.from(value, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  return keyBytes(value)
}

/** The bytes of a secret key. */
function keyBytes(value: unknown): Uint8Array | null {
  const { KeyObject } = offthreadOwners.crypto
  return value instanceof KeyObject && value.type === 'secret' ? value.export() : null
}
