/**
 * Ed25519 signatures. The module is loaded by the first one: a recording does without it. No boundary records
 * these calls, because they have no callback.
 */
import crypto from 'node:crypto'

export type Signer = {
  /** Base64 of the raw SPKI key, as a seal stores it. */
  readonly publicKey: string
  sign(message: Uint8Array): string
}

/** A signer from a private key in PEM. Throws if it is not an Ed25519 key. */
export function ed25519Signer(privateKeyPem: string): Signer {
  const key = crypto.createPrivateKey(privateKeyPem)
  if (key.asymmetricKeyType !== 'ed25519')
    throw new TypeError(`an Ed25519 key is needed, this one is ${key.asymmetricKeyType}`)
  const publicKey = crypto.createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
  return { publicKey, sign: (message) => crypto.sign(null, message, key).toString('base64') }
}

export function verifyEd25519(publicKey: string, message: Uint8Array, signature: string): boolean {
  try {
    const key = crypto.createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' })
    return (
      key.asymmetricKeyType === 'ed25519' &&
      crypto.verify(null, message, key, Buffer.from(signature, 'base64'))
    )
  } catch {
    // A key or signature that cannot be read is one that does not hold.
    return false
  }
}

/** Base64 SPKI of a public (or private) key in PEM, to compare with the one in a seal. */
export function publicKeyOf(pem: string): string {
  return crypto.createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64')
}
