/**
 * The name that git gives to content: SHA-1 of it behind a small header. Git checks by it that a binary patch
 * fits.
 */
import { createHash } from 'node:crypto'

export function gitBlobName(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex')
}
