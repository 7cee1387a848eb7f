/**
 * Output chunks between their arrival and the disk. A chunk's number, time and place in output.raw are fixed when it arrives, since scrubbing keeps
 * every length; only its bytes wait in the scrubber. Its line is written when its last byte is.
 */
import { createSha256, type Sha256Hex, type Sha256Stream } from '../../real/sha256.ts'
import type { ScrubbedBytes } from '../../scrub/index.ts'
import { outputLine } from '../codec/index.ts'
import { FILES } from '../files/names.ts'
import type { PartialFolder } from '../files/write-folder.ts'
import type { OutputRecord, Timed } from '../records.ts'

export type HeldOutput = {
  arrive(stamp: Timed, length: number): OutputRecord
  release(bytes: ScrubbedBytes): void
  readonly total: number
  readonly chunks: readonly Omit<OutputRecord, 'sha256'>[]
}

export function createHeldOutput(folder: PartialFolder): HeldOutput {
  const chunks: Omit<OutputRecord, 'sha256'>[] = []
  let total = 0
  let written = 0
  let current = 0
  let hash: Sha256Stream = createSha256()
  const finishChunks = (): void => {
    for (let chunk = chunks[current]; chunk !== undefined && chunk.offset + chunk.length <= written; chunk = chunks[current]) {
      folder.appendLine(FILES.output, outputLine({ ...chunk, sha256: hash.digest() }))
      hash = createSha256()
      current += 1
    }
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
      let at = 0
      while (at < bytes.byteLength) {
        const chunk = chunks[current]
        if (chunk === undefined) return
        const take = Math.min(bytes.byteLength - at, chunk.offset + chunk.length - written)
        hash.update(bytes.subarray(at, at + take))
        at += take
        written += take
        finishChunks()
      }
    },
  }
}

/** The lines of output.jsonl for bytes that were masked after they were written. */
export function outputLines(chunks: readonly Omit<OutputRecord, 'sha256'>[], raw: Uint8Array, sha256: (bytes: Uint8Array) => Sha256Hex): string {
  return chunks.map((chunk) => `${outputLine({ ...chunk, sha256: sha256(raw.subarray(chunk.offset, chunk.offset + chunk.length)) })}\n`).join('')
}
