/** A record whose bytes are missing: the call is refused, and the record is named. */
import { isRepriseError } from '../../../errors/index.ts'
import type { Divergence } from '../../../fidelity/divergence.ts'
import { noPayload } from '../../../fidelity/sentences.ts'
import { type ForeignRecord, recordText } from './foreign-records.ts'

export function missingPayload(record: ForeignRecord, tape: string, hash: string): Divergence {
  return noPayload(record.seq, recordText(record), tape, hash)
}

/** Null if the bytes are missing. Bytes that are not those of their name are an error. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (isRepriseError(error) && error.code === 'cas-missing') return null
    throw error
  }
}
