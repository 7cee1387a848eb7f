import { equalBytes, utf8 } from '../../base/index.ts'
import { fromDisk, type ScrubbedBytes } from '../../scrub/scrubbed.ts'
import type { Chunk } from '../../tape/index.ts'

/**
 * The bytes, if a chunk of a tape has just these in its line: they were scrubbed when it was written. Null for any
 * others, and for a chunk outside of its line.
 */
export function knownBytes(chunk: Chunk, bytes: Uint8Array): ScrubbedBytes | null {
  if (chunk.form === 'cas') return null
  // A UTF-16 unit is at least one byte.
  if (chunk.form === 'text' && chunk.text.length > bytes.byteLength) return null
  const recorded = chunk.form === 'text' ? utf8(chunk.text) : chunk.bytes
  return equalBytes(recorded, bytes) ? fromDisk<Uint8Array>(recorded) : null
}
