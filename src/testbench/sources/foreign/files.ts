/**
 * Reads, writes and deletions of files from a foreign tape. Its records have path, hash and length of the
 * content. A read is served if the tape's CAS has the bytes, or if this run has written them. What the
 * program writes is compared by its hash.
 */
import { resolve } from 'node:path'
import { contentHash } from '../../../base/index.ts'
import type { Answer, Sent } from '../../../boundaries/session.ts'
import type { Divergence } from '../../../fidelity/divergence.ts'
import { otherHash } from '../../../fidelity/sentences.ts'
import { realCwd } from '../../../real/process.ts'
import type { Scrubber } from '../../../scrub/index.ts'
import type { Kind } from '../../../tape/index.ts'
import type { TapePayloads } from '../../../tape/tape-payloads.ts'
import { sentDivergence } from '../../records/sent-content.ts'
import { type ForeignRecord, recordText, shortHash } from './foreign-records.ts'
import { missingPayload, orNull } from './missing-payload.ts'

export type ForeignFiles = {
  /** Whether a call with this key is about the file of the record. */
  matches(record: ForeignRecord, key: string): boolean
  /** The answer, or why it cannot be given. */
  answer(record: ForeignRecord, sent: Sent | undefined): Answer | Divergence
}

export type ForeignFilesOptions = {
  readonly path: string
  readonly payloads: TapePayloads
  readonly scrubber: Scrubber
  /** The one name of an absolute path. */
  readonly portable: (absolute: string) => string
}

/** Of what this run has written, for later reads. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024

export function foreignFiles({ path, payloads, scrubber, portable }: ForeignFilesOptions): ForeignFiles {
  const written = new Map<string, Uint8Array>()
  let writtenBytes = 0

  const nameOf = (given: string): string => portable(resolve(realCwd(), given))

  const keep = (hash: string, bytes: Uint8Array): void => {
    if (written.has(hash) || writtenBytes + bytes.byteLength > MAX_KEPT_BYTES) return
    written.set(hash, bytes)
    writtenBytes += bytes.byteLength
  }

  const contentOf = ({
    contentHash: hash,
    lenBytes,
  }: Kind<'file_read' | 'file_write'>): Uint8Array | null => {
    if (lenBytes === 0) return new Uint8Array()
    return written.get(hash) ?? orNull(() => payloads({ form: 'cas', contentHash: hash, lenBytes }))
  }

  const read = (record: ForeignRecord, kind: Kind<'file_read'>): Answer | Divergence => {
    const bytes = contentOf(kind)
    if (bytes === null) return missingPayload(record, path, kind.contentHash)
    return { type: 'file_read', path: nameOf(kind.path), bytes }
  }

  const write = (
    record: ForeignRecord,
    kind: Kind<'file_write'>,
    sent: Sent | undefined,
  ): Answer | Divergence => {
    const bytes = sent?.(new Uint8Array(), 0) ?? new Uint8Array()
    const hash = contentHash(bytes)
    if (hash !== kind.contentHash && contentHash(scrubber.bytes(bytes, 'received')) !== kind.contentHash)
      return otherContent(record, kind, bytes, contentOf(kind))
    keep(kind.contentHash, bytes)
    return { type: 'file_write', path: nameOf(kind.path), bytes }
  }

  return {
    matches({ kind }, key) {
      switch (kind.kind) {
        case 'file_read':
          return key === `readFile ${nameOf(kind.path)}`
        case 'file_write':
          return ['writeFile', 'appendFile'].some((call) => isCall(key, call, nameOf(kind.path)))
        case 'file_delete':
          return ['unlink', 'rm'].some((call) => isCall(key, call, nameOf(kind.path)))
        default:
          return false
      }
    },
    answer(record, sent) {
      const { kind } = record
      switch (kind.kind) {
        case 'file_read':
          return read(record, kind)
        case 'file_write':
          return write(record, kind, sent)
        case 'file_delete':
          return { type: 'file_delete', path: nameOf(kind.path) }
        default:
          throw new Error(`${kind.kind} is not a record of a file`)
      }
    },
  }
}

/** The key of a call has its options after the path. */
function isCall(key: string, call: string, path: string): boolean {
  return key === `${call} ${path}` || key.startsWith(`${call} ${path} {`)
}

function otherContent(
  record: ForeignRecord,
  kind: Kind<'file_write'>,
  actual: Uint8Array,
  recorded: Uint8Array | null,
): Divergence {
  const what = recordText(record)
  const shown = recorded === null ? null : sentDivergence(record.seq, recorded, actual, what)
  if (shown !== null) return shown
  return otherHash(record.seq, what, {
    expected: `${kind.lenBytes} bytes ${shortHash(kind.contentHash)}`,
    actual: `${actual.byteLength} bytes ${shortHash(contentHash(actual))}`,
  })
}
