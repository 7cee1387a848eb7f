/**
 * Hashes of whole files in a scrubbed copy. A `file_write` that has only what was appended has the hash of the
 * whole file too. Where a secret was removed from that file, the hash is one of a content with the secret: the
 * hash of the appended part replaces it.
 */
import type { Scrubbed } from '../scrub/index.ts'
import type { RecordKind } from './kinds.ts'
import { payloadLength } from './payload.ts'

export class AppendedHashes {
  /** Files that have other content in the copy. */
  readonly #changed = new Set<string>()

  /** `clean` is the record after it was scrubbed. */
  of(kind: RecordKind, clean: Scrubbed<RecordKind>): Scrubbed<RecordKind> {
    if (kind.kind !== 'file_write' || clean.kind !== 'file_write') return clean
    const { payload, from } = clean
    if (payload === undefined || kind.payload === undefined) return clean
    const isPart = from !== undefined && payloadLength(kind.payload) < kind.lenBytes
    const isSame = payload.contentHash === kind.payload.contentHash
    if (!isSame) this.#changed.add(kind.path)
    else if (!isPart) this.#changed.delete(kind.path)
    if (!isPart || !this.#changed.has(kind.path)) return clean
    return { ...clean, contentHash: payload.contentHash, lenBytes: from + payloadLength(payload) }
  }
}
