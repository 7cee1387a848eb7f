/**
 * The bytes of one recorded stream, cut where the world cut them.
 *
 * The scrubber may have held back the end of a chunk and written it with a later record; `held` says how many bytes. So a chunk may need bytes
 * that stand further on: they are fetched ahead, once. A body that is stored decoded is encoded again, and its cuts fall where they can.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Chunk, Kind } from '../../tape/index.ts'

type Part = Kind<'stream_chunk' | 'stream_end'>

const NOTHING = Buffer.alloc(0)

export class RecordedStream {
  readonly #resolve: (chunk: Chunk) => Uint8Array
  readonly #ahead: () => Iterable<Part>
  /** Bytes that have been added and not yet given out. */
  #pending: Buffer = NOTHING
  /** How many parts have been added to the bytes, how many have had their turn. */
  #added = 0
  #turns = 0
  /** Bytes written by the parts that had their turn, and bytes given out. */
  #released = 0
  #given = 0

  /** `ahead` gives the parts of this stream that have not had their turn. */
  constructor(resolve: (chunk: Chunk) => Uint8Array, ahead: () => Iterable<Part>) {
    this.#resolve = resolve
    this.#ahead = ahead
  }

  chunk(part: Kind<'stream_chunk'>): Uint8Array {
    const bytes = this.#resolve(part.data)
    this.#released += bytes.byteLength
    if (this.#turns === this.#added && this.#pending.length === 0 && this.#released === this.#given + bytes.byteLength && part.held === undefined) {
      this.#turns += 1
      this.#added += 1
      this.#given += bytes.byteLength
      // What stands in the record itself is not handed out: the program may write into it.
      return part.data.form === 'base64' ? Buffer.from(bytes) : bytes
    }
    this.#add(part, bytes)
    return this.#upTo(this.#released + (part.held ?? 0))
  }

  /** What is left when the stream ends; empty unless a scrubbed body came out longer than it went in. */
  rest(part: Kind<'stream_end'>): Uint8Array {
    this.#add(part)
    return this.#upTo(this.#given + this.#pending.length)
  }

  #add(part: Part, known?: Uint8Array): void {
    this.#turns += 1
    if (this.#turns > this.#added) this.#append(part, known)
  }

  #append(part: Part, known?: Uint8Array): void {
    this.#added += 1
    const chunk = part.kind === 'stream_chunk' ? part.data : part.tail
    if (chunk === undefined) return
    const bytes = known ?? this.#resolve(chunk)
    this.#pending = Buffer.concat([this.#pending, part.kind === 'stream_end' ? encodedAgain(part, bytes) : bytes])
  }

  #upTo(end: number): Uint8Array {
    const wanted = Math.max(0, end - this.#given)
    if (this.#pending.length < wanted) this.#fetch(wanted)
    const bytes = this.#pending.subarray(0, wanted)
    this.#pending = this.#pending.subarray(bytes.length)
    this.#given += bytes.length
    return bytes
  }

  #fetch(wanted: number): void {
    let known = this.#added - this.#turns
    for (const part of this.#ahead()) {
      if (known > 0) known -= 1
      else this.#append(part)
      if (this.#pending.length >= wanted || part.kind === 'stream_end') return
    }
  }
}

/** What a stream ends with, as the server sent it: a body that is stored decoded is encoded. */
export function encodedAgain(part: Kind<'stream_end'>, tail: Uint8Array): Uint8Array {
  return part.decoded === undefined ? tail : encode(tail, part.decoded)
}

function encode(bytes: Uint8Array, encoding: string): Uint8Array {
  // The last one was applied last.
  return encoding.split('-').reduce((plain: Uint8Array, name) => {
    switch (name) {
      case 'gzip':
        return gzipSync(plain)
      case 'deflate':
        return deflateSync(plain)
      case 'br':
        return brotliCompressSync(plain)
      default:
        return plain
    }
  }, bytes)
}
