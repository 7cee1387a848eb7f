/**
 * Functions of `node:crypto` that work in the thread pool and call back. Key derivation, signatures and prime
 * tests are no input: only their position counts. A newly generated key or prime *is* input, and a secret: it
 * is not on the tape, and the tape records that it is missing.
 */
import { label } from '../../base/index.ts'
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { activeSession, outside } from '../context.ts'
import { type Done, startHeld } from '../held.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { isSecret, made } from './keyed.ts'
import { sign } from './signatures.ts'

const RANDOM = label('random')

/** Really done, each time with the same result. */
const PURE = ['scrypt', 'pbkdf2', 'hkdf', 'argon2', 'verify', 'checkPrime', 'decapsulate', 'privateDecrypt']
/** Generated from random bytes that no patched function provides. */
const MAKES_SECRETS = ['generateKey', 'generateKeyPair', 'generatePrime', 'encapsulate']
const MAKES_SECRETS_AT_ONCE = ['generateKeySync', 'generateKeyPairSync', 'generatePrimeSync']

export function cryptoPatches(): Patch[] {
  const { crypto } = offthreadOwners
  const there = (names: readonly string[]): string[] =>
    names.filter((name) => typeof Reflect.get(crypto, name) === 'function')
  return [
    ...there([...PURE, 'diffieHellman']).map((name) => patchFunction(crypto, name, inPlace(name))),
    patchFunction(crypto, 'sign', sign(inPlace('sign'))),
    ...there(MAKES_SECRETS).map((name) =>
      patchFunction(crypto, name, calledBack(`crypto.${name}`, noteSecret)),
    ),
    ...there(MAKES_SECRETS_AT_ONCE).map((name) => patchFunction(crypto, name, atOnce(`crypto.${name}`))),
  ]
}

function inPlace(name: string): (original: AnyFunction) => AnyFunction {
  return calledBack(`crypto.${name}`, () => undefined)
}

/** Reported once per function: a replay generates another key than the recording did. */
export function noteSecret(session: Session, api: string): void {
  session.gap(RANDOM, `${api} makes a new secret, which is not put on the tape: a replay makes another one`)
}

function calledBack(
  api: string,
  note: (session: Session, api: string) => void,
): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('offthread')
      const at = args.findLastIndex((argument) => typeof argument === 'function')
      // Without a callback it is synchronous, or Node rejects it with its own error.
      if (session === null || at < 1) {
        if (session !== null) note(session, api)
        return Reflect.apply(original, this, args)
      }
      const callback = args[at] as AnyFunction
      let done: Done | null = null
      const input = SECRET_INPUTS[api]
      const isKeyed = input !== undefined && isSecret(session, args[input])
      const held = function (this: unknown, ...results: unknown[]): void {
        done?.(() => Reflect.apply(callback, this, isKeyed ? withoutSecret(session, api, results) : results))
      }
      // Called first, so that a call that Node rejects is not an effect. It never calls back before it
      // returns.
      const returned: unknown = outside(() =>
        Reflect.apply(original, this, [...args.slice(0, at), held, ...args.slice(at + 1)]),
      )
      note(session, api)
      done = startHeld(session, api)
      return returned
    }
}

/** Which argument of a key derivation is the password. */
const SECRET_INPUTS: Readonly<Record<string, number>> = {
  'crypto.pbkdf2': 0,
  'crypto.scrypt': 0,
  'crypto.hkdf': 1,
}

/** `(error, key)`: the key was computed from a secret. */
function withoutSecret(session: Session, api: string, [error, key]: readonly unknown[]): unknown[] {
  if (key instanceof ArrayBuffer) {
    const bytes = made(session, label(api), () => new Uint8Array(key))
    return [error, new Uint8Array(bytes).buffer]
  }
  return ArrayBuffer.isView(key)
    ? [error, made(session, label(api), () => new Uint8Array(key.buffer, key.byteOffset, key.byteLength))]
    : [error, key]
}

function atOnce(api: string): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('offthread')
      const made: unknown = Reflect.apply(original, this, args)
      if (session !== null) noteSecret(session, api)
      return made
    }
}
