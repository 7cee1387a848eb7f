/**
 * A payload that comes piece by piece and may be of any size: kept in memory while it is small, then written
 * to a file next to the CAS, and renamed to its hash at the end. Memory does not grow with it. What is never
 * ended leaves nothing behind but a temporary file.
 */
import { type Blake3Stream, type ContentHash, createBlake3, faultPoint } from '../base/index.ts'
import { fs } from '../real/fs.ts'
import type { Scrubbed, ScrubbedBytes } from '../scrub/index.ts'
import { concatScrubbed } from '../scrub/scrubbed-parts.ts'
import type { Payload } from './fields.ts'

export type PayloadStream = {
  /** The bytes may change after the call. */
  add(bytes: ScrubbedBytes): void
  end(): Scrubbed<Payload>
  /** It is not wanted after all. */
  drop(): void
}

/** A file that will be an entry of the CAS once its hash is known. */
export type Spill = {
  /** The bytes may change after the call. */
  write(bytes: ScrubbedBytes): void
  keep(hash: ContentHash): void
  drop(): void
}

const IN_MEMORY_BYTES = 64 * 1024

/** `whole` stores what stayed small; `spill` makes the file for what did not. */
export function createPayloadStream(
  whole: (bytes: ScrubbedBytes) => Scrubbed<Payload>,
  spill: () => Spill,
): PayloadStream {
  let hash: Blake3Stream | null = null
  let kept: ScrubbedBytes[] = []
  let lenBytes = 0
  let file: Spill | null = null
  return {
    add(bytes) {
      if (bytes.byteLength === 0) return
      lenBytes += bytes.byteLength
      if (file === null && lenBytes <= IN_MEMORY_BYTES) {
        kept.push(concatScrubbed([bytes]))
        return
      }
      hash ??= createBlake3()
      file ??= spill()
      for (const piece of [...kept, bytes]) {
        hash.update(piece)
        file.write(piece)
      }
      kept = []
    },
    end() {
      if (file === null || hash === null) return whole(concatScrubbed(kept))
      const contentHash = hash.digest()
      file.keep(contentHash)
      file = null
      return { form: 'cas', contentHash, lenBytes }
    },
    drop() {
      file?.drop()
      file = null
      kept = []
    },
  }
}

export function createSpill(
  temp: string,
  entryOf: (hash: ContentHash) => string,
  durability: 'os' | 'fsync',
): Spill {
  const descriptor = fs.openSync(temp, 'wx', 0o600)
  return {
    write(bytes) {
      faultPoint('cas.write')
      for (let written = 0; written < bytes.byteLength; ) written += fs.writeSync(descriptor, bytes, written)
    },
    keep(hash) {
      if (durability === 'fsync') {
        faultPoint('cas.sync')
        fs.fsyncSync(descriptor)
      }
      fs.closeSync(descriptor)
      faultPoint('cas.rename')
      fs.renameSync(temp, entryOf(hash))
    },
    drop() {
      fs.closeSync(descriptor)
      fs.rmSync(temp, { force: true })
    },
  }
}
