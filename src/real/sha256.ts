/** SHA-256, which nothing patches: the hash that foreign formats name. Our own formats use BLAKE3. */
import crypto from 'node:crypto'

declare const sha256Brand: unique symbol
/** 64 lower-case hex digits. */
export type Sha256Hex = string & { readonly [sha256Brand]: true }

export function sha256(bytes: Uint8Array): Sha256Hex {
  return crypto.createHash('sha256').update(bytes).digest('hex') as Sha256Hex
}

export type Sha256Stream = {
  update(bytes: Uint8Array): void
  digest(): Sha256Hex
}

export function createSha256(): Sha256Stream {
  const hash = crypto.createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') as Sha256Hex }
}
