/**
 * Content that is stored piece by piece: scrubbed as a stream, hashed as a stream, written to the CAS as it
 * comes. Memory does not grow with it.
 */
import type { Blake3Stream } from '../../base/index.ts'
import { LARGE_BYTES } from '../../boundaries/files/file-access.ts'
import type { Collector } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import { otherHash } from '../../fidelity/sentences.ts'
import type { Scrubbed, ScrubbedBytes, Scrubber, StreamScrubber } from '../../scrub/index.ts'
import type { Payload, TapeRecorder } from '../../tape/index.ts'
import type { PayloadStream } from '../../tape/payload-stream.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { AppendedStream } from './appended-stream.ts'

/** `out` is the tape that is written. */
type Store = { readonly recorder: TapeRecorder; readonly scrubber: Scrubber; readonly out: string | null }

export class ContentCollector implements Collector {
  readonly #stream: Pick<StreamScrubber, 'push' | 'end'>
  readonly #payload: PayloadStream
  readonly #out: string | null
  readonly #hash: Blake3Stream | null
  #addedBytes = 0
  #stored: Scrubbed<Payload> | null = null

  /**
   * `isAppended`: a secret at the end of the content may be unfinished. `hash` gets what is stored, for a caller
   * that goes on with it.
   */
  constructor({ recorder, scrubber, out }: Store, isAppended = false, hash: Blake3Stream | null = null) {
    this.#stream = isAppended ? new AppendedStream(scrubber) : scrubber.stream('received')
    this.#payload = recorder.payloadStream()
    this.#out = out
    this.#hash = hash
  }

  /** The end of what was appended, as it is, and how much it was; null for other content. */
  get appended(): { readonly last: Uint8Array; readonly length: number } | null {
    return this.#stream instanceof AppendedStream
      ? { last: this.#stream.last, length: this.#addedBytes }
      : null
  }

  add(bytes: Uint8Array): void {
    this.#addedBytes += bytes.byteLength
    this.#store(this.#stream.push(bytes))
  }

  /** Scrubbed: a secret in it is its placeholder. */
  restore(): Uint8Array {
    if (this.#out === null) throw new Error('there is no tape to read from')
    return tapePayloads(this.#out)(this.end())
  }

  end(): Scrubbed<Payload> {
    if (this.#stored !== null) return this.#stored
    this.#store(this.#stream.end())
    this.#stored = this.#payload.end()
    return this.#stored
  }

  #store(bytes: ScrubbedBytes): void {
    this.#hash?.update(bytes)
    this.#payload.add(bytes)
  }
}

/** The content in pieces if it is large, else null. */
export function largePieces(bytes: Uint8Array): Iterable<Uint8Array> | null {
  return bytes.byteLength > LARGE_BYTES ? piecesOf(bytes) : null
}

export function storePieces(pieces: Iterable<Uint8Array>, store: Store): Scrubbed<Payload> {
  const collector = new ContentCollector(store)
  for (const piece of pieces) collector.add(piece)
  return collector.end()
}

/** What a replay finds where the contents are not at hand. */
export function hashDivergence(seq: number, what: string, expected: Payload, actual: Payload): Divergence {
  const [then, now] = [sizeAndHash(expected), sizeAndHash(actual)]
  return otherHash(seq, what, { expected: then, actual: now })
}

function sizeAndHash(payload: Payload): string {
  const size = payload.form === 'cas' ? payload.lenBytes : Buffer.byteLength(payload.text)
  return `${size} bytes, BLAKE3 ${payload.contentHash}`
}

const PIECE_BYTES = 1024 * 1024

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
