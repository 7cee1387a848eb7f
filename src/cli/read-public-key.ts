/** Reads a public key in PEM from a file that an option names. */
import { fromSystemError, type RepriseError } from '../errors/index.ts'

/** `refuse` makes the error for a file that is no key. */
export async function readPublicKey(file: string, refuse: (cause: unknown) => RepriseError): Promise<string> {
  const [{ publicKeyOf }, { fs }] = await Promise.all([import('../real/signing.ts'), import('../real/fs.ts')])
  let pem: string
  try {
    pem = fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw fromSystemError(error, 'read', file)
  }
  try {
    return publicKeyOf(pem)
  } catch (cause) {
    throw refuse(cause)
  }
}
