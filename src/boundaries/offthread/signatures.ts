/**
 * Signatures with private keys, and the keys themselves. A private key is a secret: the tape has a placeholder
 * for it, which Node cannot parse, and some algorithms draw randomness. So the tape has every signature, or
 * that it failed, and the sort of every key. A replay returns the recorded signature; a key that it cannot
 * parse is a new one of the same sort.
 *
 * What is signed is part of the name of the record, unless it contains a secret: other data is a divergence.
 *
 * Decision 0480.
 */
import { type Blake3Stream, contentHash, createBlake3, type Label, label } from '../../base/index.ts'
import { realSetImmediate } from '../../real/clock.ts'
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { sortOf, standInKey } from '../../real/stand-in-keys.ts'
import { activeSession, outside } from '../context.ts'
import { startHeld } from '../held.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { bytesOf, isSecret, made } from './keyed.ts'

const CREATE_KEY = label('crypto.createPrivateKey')
const FAILED = 'failed'
/** What was passed to `update` of a `Sign`. */
const signedBy = new WeakMap<object, { readonly hash: Blake3Stream; holdsSecret: boolean }>()

export function signaturePatches(): Patch[] {
  const { crypto, signPrototype } = offthreadOwners
  return [
    patchFunction(crypto, 'createPrivateKey', createPrivateKey),
    patchFunction(crypto, 'publicEncrypt', publicEncrypt),
    patchFunction(signPrototype, 'update', update),
    patchFunction(signPrototype, 'sign', signWhatWasGiven),
  ]
}

/** The session whose tape has signatures. */
export function signingSession(): Session | null {
  const session = activeSession('offthread')
  return session?.computesSignatures === true ? null : session
}

function createPrivateKey(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = signingSession()
    if (session === null) return Reflect.apply(original, this, args)
    const made = attempt(session, CREATE_KEY, () => Reflect.apply(original, this, args), sortOf)
    if (made.value !== null) return made.value
    try {
      return Reflect.apply(original, this, args)
    } catch (error) {
      const key = made.text === FAILED ? null : outside(() => standInKey(made.text))
      if (key === null) throw error
      return key
    }
  }
}

function update(original: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]): unknown {
    const session = signingSession()
    const bytes = session === null ? null : bytesOf(args[0], args[1])
    const returned: unknown = Reflect.apply(original, this, args)
    if (session !== null && bytes !== null) {
      const signed = signedBy.get(this) ?? { hash: createBlake3(), holdsSecret: false }
      signed.hash.update(bytes)
      if (isSecret(session, bytes)) signed.holdsSecret = true
      signedBy.set(this, signed)
    }
    return returned
  }
}

/** `Sign.prototype.sign`. */
function signWhatWasGiven(original: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]): unknown {
    const session = signingSession()
    if (session === null) return Reflect.apply(original, this, args)
    const signed = signedBy.get(this)
    const data = signed === undefined ? '' : signed.holdsSecret ? null : signed.hash.digest()
    const bytes = signature(session, named('crypto.Sign.sign', data), () =>
      Reflect.apply(original, this, [args[0]]),
    )
    if (bytes === null) return Reflect.apply(original, this, args)
    const [, encoding] = args
    return typeof encoding === 'string' && encoding !== 'buffer'
      ? bytes.toString(encoding as BufferEncoding)
      : bytes
  }
}

/** `crypto.sign`; `later` is the patched function for older tapes. */
export function sign(later: (original: AnyFunction) => AnyFunction): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const older = later(original)
    return function (this: unknown, ...args: unknown[]): unknown {
      const session = signingSession()
      if (session === null) return Reflect.apply(older, this, args)
      const [algorithm, data, key, callback] = args
      const api = signatureOf(session, 'crypto.sign', data)
      const bytes = signature(session, api, () => Reflect.apply(original, this, [algorithm, data, key]))
      // Node has the right error.
      if (bytes === null) return Reflect.apply(typeof callback === 'function' ? older : original, this, args)
      if (typeof callback !== 'function') return bytes
      const done = startHeld(session, 'crypto.sign')
      outside(() => realSetImmediate(() => done(() => Reflect.apply(callback, undefined, [null, bytes]))))
      return undefined
    }
  }
}

/** It draws randomness, and its result is no secret. */
function publicEncrypt(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = signingSession()
    if (session === null) return Reflect.apply(original, this, args)
    const api = signatureOf(session, 'crypto.publicEncrypt', args[1])
    const perform = (): Uint8Array => Reflect.apply(original, this, args)
    const { text, value } = attempt(session, api, perform, ({ byteLength }) => String(byteLength))
    if (text === FAILED) return perform()
    return Buffer.from(session.readRandom(api, () => value ?? perform()))
  }
}

/** The bytes, or null if the operation failed. */
function signature(session: Session, api: Label, perform: () => Uint8Array): Buffer | null {
  const { text, value } = attempt(session, api, perform, ({ byteLength }) => String(byteLength))
  if (text === FAILED) return null
  return made(session, api, () => value ?? perform(), structureOfPair)
}

const SEQUENCE = 0x30
const INTEGER = 0x02
const LONG_FORM = 0x81

/**
 * Signatures of ECDSA and DSA are two numbers in DER, which programs take apart: tags, lengths and leading
 * zeros stay.
 */
function structureOfPair(value: Uint8Array): (at: number) => boolean {
  const first = value[1] === LONG_FORM ? 3 : 2
  const second = first + 2 + (value[first + 1] ?? 0)
  const isPair =
    value[0] === SEQUENCE &&
    value[first] === INTEGER &&
    value[second] === INTEGER &&
    second + 2 + (value[second + 1] ?? 0) === value.byteLength
  const isNumber = (at: number, start: number): boolean =>
    at < start + 2 || (at === start + 2 && value[at] === 0)
  if (!isPair) return () => false
  return (at) => (at < second ? isNumber(at, first) : isNumber(at, second))
}

/** A record that contains whether it succeeded. A replay performs nothing. */
function attempt<T>(
  session: Session,
  api: Label,
  perform: () => T,
  describe: (value: T) => string,
): { readonly text: string; readonly value: T | null } {
  let value: T | null = null
  const bytes = session.readRandom(api, () => {
    try {
      value = perform()
      return Buffer.from(describe(value), 'latin1')
    } catch {
      return Buffer.from(FAILED, 'latin1')
    }
  })
  return { text: Buffer.from(bytes).toString('latin1'), value }
}

/** The name of the record of a signature of this data. */
export function signatureOf(session: Session, api: string, data: unknown): Label {
  return named(api, dataOf(session, data))
}

function dataOf(session: Session, data: unknown): string | null {
  const bytes = bytesOf(data, undefined)
  if (bytes === null) return ''
  if (isSecret(session, bytes)) return null
  return contentHash(bytes)
}

function named(api: string, data: string | null): Label {
  return label(data === null || data === '' ? api : `${api}#${data.slice(0, 24)}`)
}
