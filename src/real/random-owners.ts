/** The objects whose random functions a recorder replaces, captured before anything is patched. */
import crypto from 'node:crypto'

export const randomOwners = {
  math: Math,
  crypto,
  webcrypto: crypto.webcrypto,
  cryptoPrototype: Object.getPrototypeOf(crypto.webcrypto) as object,
} as const

const { random } = Math
const { randomFill, randomFillSync } = crypto

export const realRandom: () => number = () => random()

/** A new, unshared array: `randomBytes` would do the same at a higher price. */
export const realBytes: (size: number) => Uint8Array = (size) => randomFillSync(new Uint8Array(size))

export const realBytesLater: (size: number, done: (error: Error | null, bytes: Uint8Array) => void) => void = (size, done) => {
  randomFill(new Uint8Array(size), done)
}
