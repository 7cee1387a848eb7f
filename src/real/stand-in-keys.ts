/**
 * New private keys for a replay, which has no secret: of the same algorithm and size as the recorded one, so
 * that a program that checks these finds what it found. Nothing that they sign is sent. To be called outside of
 * a session.
 */
import crypto, { type KeyObject, type webcrypto } from 'node:crypto'

/** As the tape has it: `rsa 2048`, `ec prime256v1`, `ed25519`. */
export function sortOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string {
  const { modulusLength, namedCurve } = asymmetricKeyDetails
  return [asymmetricKeyType ?? 'unknown', modulusLength ?? namedCurve ?? ''].join(' ').trim()
}

const known = new Map<string, KeyObject>()

/** Null for a sort that cannot be made. */
export function standInKey(sort: string): KeyObject | null {
  const made = known.get(sort) ?? newKey(sort)
  if (made !== null) known.set(sort, made)
  return made
}

/** Larger ones take minutes. */
const MOST_BITS = 8192
const LEAST_BITS = 1024

function newKey(sort: string): KeyObject | null {
  const [type = '', detail = ''] = sort.split(' ')
  switch (type) {
    case 'rsa':
    case 'rsa-pss': {
      const modulusLength = Number(detail)
      if (!Number.isInteger(modulusLength) || modulusLength < LEAST_BITS || modulusLength > MOST_BITS)
        return null
      return type === 'rsa'
        ? crypto.generateKeyPairSync('rsa', { modulusLength }).privateKey
        : crypto.generateKeyPairSync('rsa-pss', { modulusLength }).privateKey
    }
    case 'ec':
      if (!crypto.getCurves().includes(detail)) return null
      return crypto.generateKeyPairSync('ec', { namedCurve: detail }).privateKey
    case 'ed25519':
      return crypto.generateKeyPairSync('ed25519').privateKey
    case 'ed448':
      return crypto.generateKeyPairSync('ed448').privateKey
    case 'x25519':
      return crypto.generateKeyPairSync('x25519').privateKey
    default:
      return null
  }
}

/** The same for Web Crypto, with the arguments of `importKey`: the program names the algorithm itself. */
export async function standInCryptoKey(args: readonly unknown[]): Promise<webcrypto.CryptoKey> {
  const [, , algorithm, extractable, usages] = args
  const named: Record<string, unknown> =
    typeof algorithm === 'object' ? { ...algorithm } : { name: algorithm }
  const sized = /^RSA/i.test(String(named.name))
    ? { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), ...named }
    : named
  const { subtle } = crypto.webcrypto
  const pair: unknown = await Reflect.apply(subtle.generateKey, subtle, [sized, extractable, usages])
  return (pair as webcrypto.CryptoKeyPair).privateKey
}
