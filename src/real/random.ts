/** Randomness, captured before anything is patched. */
import crypto from 'node:crypto'

const { randomBytes, randomUUID } = crypto

export const realRandomBytes: (size: number) => Uint8Array = (size) => randomBytes(size)
export const realRandomUuid: () => string = () => randomUUID()
