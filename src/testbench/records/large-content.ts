/**
 * Content that is stored piece by piece: scrubbed as a stream, hashed as a stream, written to the CAS as it
 * comes. Memory does not grow with it.
 */
import { LARGE_BYTES } from '../../boundaries/files/file-access.ts'
import type { Collector } from '../../boundaries/session.ts'
import type { Scrubbed, Scrubber, StreamScrubber } from '../../scrub/index.ts'
import type { Payload, TapeRecorder } from '../../tape/index.ts'
import type { PayloadStream } from '../../tape/payload-stream.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'

/** `out` is the tape that is written. */
type Store = { readonly recorder: TapeRecorder; readonly scrubber: Scrubber; readonly out: string | null }

export class ContentCollector implements Collector {
  readonly #stream: StreamScrubber
  readonly #payload: PayloadStream
  readonly #out: string | null
  #stored: Scrubbed<Payload> | null = null

  constructor({ recorder, scrubber, out }: Store) {
    this.#stream = scrubber.stream('received')
    this.#payload = recorder.payloadStream()
    this.#out = out
  }

  add(bytes: Uint8Array): void {
    this.#payload.add(this.#stream.push(bytes))
  }

  /** Scrubbed: a secret in it is its placeholder. */
  restore(): Uint8Array {
    if (this.#out === null) throw new Error('there is no tape to read from')
    return tapePayloads(this.#out)(this.end())
  }

  end(): Scrubbed<Payload> {
    if (this.#stored !== null) return this.#stored
    this.#payload.add(this.#stream.end())
    this.#stored = this.#payload.end()
    return this.#stored
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
export function hashDivergence(
  seq: number,
  what: string,
  expected: Payload,
  actual: Payload,
): ReplayDivergence {
  const [then, now] = [sizeAndHash(expected), sizeAndHash(actual)]
  const message = `Replay diverged at record ${seq}: ${what} has another content`
  return {
    seq,
    category: 'content',
    message: `${message}\n  expected     ${then}\n  got          ${now}`,
    expected: then,
    actual: now,
    path: null,
  }
}

function sizeAndHash(payload: Payload): string {
  const size = payload.form === 'cas' ? payload.lenBytes : Buffer.byteLength(payload.text)
  return `${size} bytes, BLAKE3 ${payload.contentHash}`
}

const PIECE_BYTES = 1024 * 1024

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
