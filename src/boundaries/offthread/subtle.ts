/**
 * Web Crypto: `SubtleCrypto.prototype`, whose promises are settled by the thread pool. Only the position of
 * each counts, unless it draws its own random bytes (a new key, a randomised encryption): then the tape
 * records what is missing. The tape has signatures with private keys, see signatures.ts.
 */
import { type Label, label } from '../../base/index.ts'
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { standInCryptoKey } from '../../real/stand-in-keys.ts'
import { activeSession, outside } from '../context.ts'
import { heldPromise } from '../held.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { noteSecret } from './crypto.ts'
import { isSecret, made } from './keyed.ts'
import { signatureOf, signingSession } from './signatures.ts'

const RANDOM = label('random')
const RANDOMISED = /^(ECDSA|RSA-PSS|RSA-OAEP|ML-DSA.*|SLH-DSA.*)$/i
const DRAWS_BY_ALGORITHM = new Set(['sign', 'encrypt', 'wrapKey'])
const MAKES_SECRETS = new Set(['generateKey', 'encapsulateBits', 'encapsulateKey'])
/** `wrapKey(format, key, wrappingKey, algorithm)`; for the others it comes first. */
const WRAP_ALGORITHM = 3

export function subtlePatches(): Patch[] {
  const { subtle, subtlePrototype } = offthreadOwners
  return Object.getOwnPropertyNames(subtlePrototype)
    .filter((name) => name !== 'constructor')
    .map((name) =>
      patchFunction(subtlePrototype, name, (original) => {
        return function (this: unknown, ...args: unknown[]): unknown {
          const session = this === subtle ? activeSession('offthread') : null
          if (session === null) return Reflect.apply(original, this, args)
          const isSigned = name === 'sign' && signingSession() !== null && isPrivate(args[1])
          if (!isSigned) noteRandomness(session, name, args)
          const perform = (): Promise<unknown> => Reflect.apply(original as AnyFunction, this, args)
          const isImported = name === 'importKey' && signingSession() !== null && isSecret(session, args[1])
          const done = heldPromise(session, `subtle.${name}`, () =>
            isImported && !session.isLive(RANDOM)
              ? perform().catch((error: unknown) =>
                  outside(() => standInCryptoKey(args)).catch(() => Promise.reject(error)),
                )
              : perform(),
          )
          const api = isSigned ? signatureOf(session, 'subtle.sign', args[2]) : label(`subtle.${name}`)
          if (name === 'verify' && isSecretKey(args[1]) && session.computesVerifications !== true)
            return done.then((isRight) => recordedVerdict(session, isRight === true))
          return isSigned || isKeyed(session, name, args)
            ? done.then((result) => withoutSecret(session, name, api, result))
            : done
        }
      }),
    )
}

/** A replay has another key and another signature: the result of the recording is given. */
function recordedVerdict(session: Session, isRight: boolean): boolean {
  const [verdict] = session.readRandom(label('subtle.verify'), () => Uint8Array.of(isRight ? 1 : 0), 1)
  return verdict === 1
}

function isPrivate(key: unknown): boolean {
  return typeof key === 'object' && key !== null && 'type' in key && key.type === 'private'
}

/** Keys with a secret in them. */
const secretKeys = new WeakSet<object>()

/** Whether the result is computed from a secret. */
function isKeyed(session: Session, name: string, args: readonly unknown[]): boolean {
  const [first, second, third] = args
  switch (name) {
    case 'importKey':
      // The text of a private key is a secret, its bytes are not known as one. In a replay they are a placeholder.
      return (first === 'pkcs8' && session.keepsKeyText !== true) || isSecret(session, second)
    case 'deriveBits':
    case 'deriveKey':
      return isSecretKey(second)
    case 'sign':
      return isSecretKey(second) || isSecret(session, third)
    case 'exportKey':
      return isSecretKey(second) && first === 'raw'
    case 'digest':
      return isSecret(session, second)
    default:
      return false
  }
}

function isSecretKey(key: unknown): boolean {
  return typeof key === 'object' && key !== null && secretKeys.has(key)
}

/** A key is marked; bytes are replaced. An exported key is the secret itself, or was replaced before. */
function withoutSecret(session: Session, name: string, api: Label, result: unknown): unknown {
  if (!(result instanceof ArrayBuffer)) {
    if (typeof result === 'object' && result !== null) secretKeys.add(result)
    return result
  }
  if (name === 'exportKey') return result
  const bytes = made(session, api, () => new Uint8Array(result))
  return new Uint8Array(bytes).buffer
}

function noteRandomness(session: Session, name: string, args: readonly unknown[]): void {
  if (MAKES_SECRETS.has(name)) noteSecret(session, `subtle.${name}`)
  if (!DRAWS_BY_ALGORITHM.has(name)) return
  const algorithm = algorithmName(args[name === 'wrapKey' ? WRAP_ALGORITHM : 0])
  if (RANDOMISED.test(algorithm))
    session.gap(RANDOM, `subtle.${name} with ${algorithm} draws randomness that is not recorded`)
}

function algorithmName(algorithm: unknown): string {
  if (typeof algorithm === 'string') return algorithm
  const name: unknown =
    typeof algorithm === 'object' && algorithm !== null && 'name' in algorithm ? algorithm.name : ''
  return typeof name === 'string' ? name : ''
}
