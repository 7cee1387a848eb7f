/** The objects whose random functions a recorder replaces, captured before anything is patched. */
import crypto from 'node:crypto'

export const randomOwners = {
  math: Math,
  get crypto(): typeof crypto {
    return crypto
  },
  get webcrypto(): typeof crypto.webcrypto {
    return crypto.webcrypto
  },
  get cryptoPrototype(): object {
    return Object.getPrototypeOf(crypto.webcrypto) as object
  },
} as const

type Originals = Pick<typeof crypto, 'randomFill' | 'randomFillSync' | 'randomBytes' | 'randomUUID'>
let taken: Originals | null = null

/**
 * Loaded by the code that patches these, before it patches. The module is loaded by the first to ask, which
 * may be what makes it patched.
 */
export function randomOriginals(): Originals {
  if (taken === null) {
    const { randomFill, randomFillSync, randomBytes, randomUUID } = crypto
    taken ??= { randomFill, randomFillSync, randomBytes, randomUUID }
  }
  return taken
}

const { random } = Math

export const realRandom: () => number = () => random()

/** A new, unshared array: `randomBytes` would do the same at a higher price. */
export const realBytes: (size: number) => Uint8Array = (size) =>
  randomOriginals().randomFillSync(new Uint8Array(size))

export const realBytesLater: (size: number, done: (error: Error | null, bytes: Uint8Array) => void) => void =
  (size, done) => {
    randomOriginals().randomFill(new Uint8Array(size), done)
  }
