/** Randomness, captured before anything is patched. */
import { randomOriginals } from './random-owners.ts'

export const realRandomBytes: (size: number) => Uint8Array = (size) => randomOriginals().randomBytes(size)
export const realRandomUuid: () => string = () => randomOriginals().randomUUID()
