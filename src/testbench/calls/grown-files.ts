/**
 * Appends that are recorded without the content before them. The record has the hash and the length of the whole
 * file all the same: BLAKE3 continues where the record before it ended.
 *
 * A secret may come in pieces. The end of a file that may begin one is not hashed until the next piece: the next
 * record begins there, so `from` is the offset after which nothing changes any more.
 *
 * Decision 0532.
 */
import { type Blake3Stream, type ContentHash, createBlake3 } from '../../base/index.ts'
import type { ScrubbedBytes, Scrubber } from '../../scrub/index.ts'
import type { AppendedContent } from './appended-content.ts'

type Grown = {
  /** Of the scrubbed content, without an end that may begin a secret. */
  readonly hash: Blake3Stream
  readonly length: number
  /** Of the content as it is. */
  readonly rawLength: number
}

export type AppendedPart = {
  readonly bytes: ScrubbedBytes
  readonly from: number
  readonly contentHash: ContentHash
  readonly lenBytes: number
}

/** As many as the boundary remembers. */
const MOST_FILES = 256

export class GrownFiles {
  readonly #scrubber: Scrubber
  readonly #appended: AppendedContent
  readonly #files = new Map<string, Grown>()

  constructor(scrubber: Scrubber, appended: AppendedContent) {
    this.#scrubber = scrubber
    this.#appended = appended
  }

  /** The record with the whole content is written. Call it after `keep` of the appended content. */
  whole(path: string, raw: Uint8Array, scrubbed: ScrubbedBytes): void {
    const held = this.#appended.heldOf(path)
    const certain = held === 0 ? scrubbed : this.#scrubber.bytes(raw.subarray(0, -held), 'received')
    this.#remember(path, createBlake3(), 0, certain, raw.byteLength)
  }

  /** The same for content that passed in pieces. */
  large(path: string, grown: Grown): void {
    // What precedes the possible beginning of a secret is not at hand: the next record has the whole content.
    if (this.#appended.heldOf(path) > 0) this.#files.delete(path)
    else this.#set(path, grown)
  }

  /** Null if the content before the piece is not known. `from`: where the piece begins in the content as it is. */
  append(path: string, piece: Uint8Array, from: number): AppendedPart | null {
    const grown = this.#files.get(path)
    this.#files.delete(path)
    if (grown === undefined || grown.rawLength !== from) return null
    const raw = this.#appended.withHeld(path, piece)
    const bytes = this.#appended.scrub(raw)
    const hash = grown.hash.copy()
    hash.update(bytes)
    const rawLength = from + piece.byteLength
    this.#appended.keepEnd(path, raw, rawLength)
    const held = this.#appended.heldOf(path)
    const certain = held === 0 ? bytes : this.#scrubber.bytes(raw.subarray(0, -held), 'received')
    this.#remember(path, grown.hash, grown.length, certain, rawLength)
    const { length } = grown
    return { bytes, from: length, contentHash: hash.digest(), lenBytes: length + bytes.byteLength }
  }

  forget(path: string): void {
    this.#files.delete(path)
  }

  #remember(
    path: string,
    hash: Blake3Stream,
    before: number,
    certain: ScrubbedBytes,
    rawLength: number,
  ): void {
    hash.update(certain)
    this.#set(path, { hash, length: before + certain.byteLength, rawLength })
  }

  #set(path: string, grown: Grown): void {
    this.#files.set(path, grown)
    if (this.#files.size <= MOST_FILES) return
    const oldest = this.#files.keys().next()
    if (oldest.done !== true) this.#files.delete(oldest.value)
  }
}
