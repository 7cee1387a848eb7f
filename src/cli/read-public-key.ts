/** Reads a public key in PEM from a file that an option names. */
import type { RepriseError } from '../errors/index.ts'
import { MOST_KEY, readTextFile } from './read-text-file.ts'

/** `refuse` makes the error for a file that is no key. */
export async function readPublicKey(file: string, refuse: (cause: unknown) => RepriseError): Promise<string> {
  const { publicKeyOf } = await import('../real/signing.ts')
  const pem = await readTextFile(file, MOST_KEY)
  try {
    return publicKeyOf(pem)
  } catch (cause) {
    throw refuse(cause)
  }
}
