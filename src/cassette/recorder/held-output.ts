/**
 * Output chunks between their arrival and the disk. A chunk's number, time and place in output.raw are fixed
 * when it arrives, since scrubbing keeps every length; only its bytes wait in the scrubber. They are written
 * as soon as they are certain. What was written is read back and looked over, all at once or a stretch at a
 * time, and a chunk's line follows when its last byte has been: its digest is that of the bytes on the disk.
 *
 * Decision 0225.
 */
import { createSha256, type Sha256Hex, type Sha256Stream } from '../../real/sha256.ts'
import type { ScrubbedBytes } from '../../scrub/index.ts'
import { outputLine } from '../codec/index.ts'
import type { OutputRecord, Timed } from '../codec/records.ts'
import { FILES } from '../files/names.ts'
import type { PartialFolder } from '../files/write-folder.ts'
import { type LookOver, OVERLAP } from './output-scan.ts'

export type HeldOutput = {
  arrive(stamp: Timed, length: number): OutputRecord
  release(bytes: ScrubbedBytes): void
  /** Looks over the next stretch of what was written. */
  look(): void
  /** Looks over all of it but the last `behind` bytes at most. */
  lookOn(behind: number): void
  readonly total: number
  readonly chunks: readonly Omit<OutputRecord, 'sha256'>[]
}

const STRETCH = 16 * 1024
const SYNC_EVERY = 16 * 1024 * 1024

export function createHeldOutput(folder: PartialFolder, outputScan: LookOver): HeldOutput {
  const chunks: Omit<OutputRecord, 'sha256'>[] = []
  const buffer = Buffer.alloc(OVERLAP + STRETCH)
  let before = 0
  let total = 0
  let written = 0
  let scanned = 0
  let syncedTo = 0
  let current = 0
  let hash: Sha256Stream = createSha256()
  const finishChunks = (): void => {
    for (
      let chunk = chunks[current];
      chunk !== undefined && chunk.offset + chunk.length <= scanned;
      chunk = chunks[current]
    ) {
      folder.appendLine(FILES.output, outputLine({ ...chunk, sha256: hash.digest() }))
      hash = createSha256()
      current += 1
    }
  }
  /** False where nothing could be read: the write has failed, and `close` throws that. */
  const look = (): boolean => {
    const count = folder.readAt(
      FILES.raw,
      buffer.subarray(OVERLAP, OVERLAP + Math.min(STRETCH, written - scanned)),
      scanned,
    )
    if (count === 0) return false
    outputScan.see(
      buffer.subarray(OVERLAP - before, OVERLAP + count),
      buffer.subarray(OVERLAP, OVERLAP + count),
    )
    for (let at = OVERLAP; at < OVERLAP + count; ) {
      const chunk = chunks[current]
      if (chunk === undefined) break
      const take = Math.min(OVERLAP + count - at, chunk.offset + chunk.length - scanned)
      hash.update(buffer.subarray(at, at + take))
      at += take
      scanned += take
      finishChunks()
    }
    before = Math.min(OVERLAP, before + count)
    buffer.copyWithin(OVERLAP - before, OVERLAP + count - before, OVERLAP + count)
    return true
  }
  return {
    get total() {
      return total
    },
    chunks,
    arrive(stamp, length) {
      const chunk = { ...stamp, offset: total, length }
      chunks.push(chunk)
      total += length
      finishChunks()
      return { ...chunk, sha256: '' }
    },
    release(bytes) {
      if (bytes.byteLength === 0) return
      folder.append(FILES.raw, bytes)
      written += bytes.byteLength
      // On its way to the disk while more comes, so that little is left for the end.
      if (written - syncedTo >= SYNC_EVERY) {
        syncedTo = written
        void folder.startSync(FILES.raw)
      }
    },
    look() {
      if (scanned < written) look()
    },
    lookOn(behind) {
      while (written - scanned > behind && look());
    },
  }
}

/** The lines of output.jsonl for bytes that were masked after they were written. */
export function outputLines(
  chunks: readonly Omit<OutputRecord, 'sha256'>[],
  raw: Uint8Array,
  sha256: (bytes: Uint8Array) => Sha256Hex,
): string {
  return chunks
    .map(
      (chunk) =>
        `${outputLine({ ...chunk, sha256: sha256(raw.subarray(chunk.offset, chunk.offset + chunk.length)) })}\n`,
    )
    .join('')
}
