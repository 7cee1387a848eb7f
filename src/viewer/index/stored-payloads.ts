/**
 * Payloads in the CAS as the index reads them: bounded, and null instead of an error where they are missing.
 */
import { textOrNull } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { casFolder, hasCasEntry, readCasEntry } from '../../tape/cas.ts'
import type { Payload } from '../../tape/fields.ts'

/** So much of a stored payload can be searched. */
const MAX_SEARCHED_BYTES = 1024 * 1024

/** The first bytes of an entry, unchecked; null if there is none. */
export function storedBytes(tape: string, hash: string): Uint8Array | null {
  if (!hasCasEntry(tape, hash)) return null
  const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK
  const descriptor = fs.openSync(`${casFolder(tape)}/${hash}`, flags)
  try {
    const bytes = Buffer.alloc(Math.min(fs.fstatSync(descriptor).size, MAX_SEARCHED_BYTES))
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, 0))
  } finally {
    fs.closeSync(descriptor)
  }
}

/** The text of a payload of at most 1 MiB; null if it is larger, missing, changed, or no text. */
export function readStoredText(tape: string, payload: Payload): string | null {
  if (payload.form === 'inline') return payload.text
  if (payload.lenBytes > MAX_SEARCHED_BYTES) return null
  try {
    return textOrNull(readCasEntry(tape, payload.contentHash, payload.lenBytes))
  } catch (error) {
    if (isRepriseError(error)) return null
    throw error
  }
}
