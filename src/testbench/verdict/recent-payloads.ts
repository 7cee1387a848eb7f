/**
 * The latest payloads of a second recording that is not written. A comparison that finds other bytes shows
 * where they differ: it needs them for a moment. Older ones and very large ones are dropped; then the report
 * has the two hashes only.
 */
import type { ContentHash } from '../../base/index.ts'
import type { ScrubbedBytes } from '../../scrub/index.ts'
import { concatScrubbed } from '../../scrub/scrubbed-parts.ts'
import { payloadBytes } from '../../tape/payload.ts'
import type { PayloadStore } from '../../tape/recorder.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'

const MAX_BYTES = 8 * 1024 * 1024

export class RecentPayloads implements PayloadStore {
  readonly #byHash = new Map<ContentHash, ScrubbedBytes>()
  #bytes = 0

  readonly put = (hash: ContentHash, bytes: ScrubbedBytes): void => {
    if (this.#byHash.has(hash) || bytes.byteLength > MAX_BYTES) return
    this.#byHash.set(hash, bytes)
    this.#bytes += bytes.byteLength
    for (const [oldest, { byteLength }] of this.#byHash) {
      if (this.#bytes <= MAX_BYTES) return
      this.#byHash.delete(oldest)
      this.#bytes -= byteLength
    }
  }

  readonly spill = (): ReturnType<PayloadStore['spill']> => {
    let pieces: ScrubbedBytes[] = []
    let size = 0
    return {
      write(bytes) {
        size += bytes.byteLength
        if (size <= MAX_BYTES) pieces.push(concatScrubbed([bytes]))
        else pieces = []
      },
      keep: (hash) => {
        if (size <= MAX_BYTES) this.put(hash, concatScrubbed(pieces))
      },
      drop: () => undefined,
    }
  }

  /**
   * The bytes of a payload of the second recording. Those that the recorded tape has too are read from there.
   */
  resolver(recorded: TapePayloads): TapePayloads {
    return (payload) =>
      payloadBytes(payload, (reference) => this.#byHash.get(reference.contentHash) ?? recorded(payload))
  }
}
