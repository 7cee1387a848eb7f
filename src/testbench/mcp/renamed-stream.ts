/**
 * A recorded stream of messages, passed on with the names of this run. While no name differs, every byte is
 * passed on unchanged, in the recorded pieces; after that, whole parts are. Also reports where one part has
 * ended and the next has not begun, so that a message can be inserted.
 */

import { EventStream, type ServerEvent, withData } from '../../base/event-stream.ts'
import { utf8 } from '../../base/index.ts'
import type { CallIds } from './call-ids.ts'
import { type Line, LineStream } from './line-stream.ts'

/** Splits bytes into parts (events, lines), each with its source text. */
type Cutter<P> = { push(bytes: Uint8Array): readonly P[]; rest(): string }

export class RenamedStream<P extends { readonly raw: string }> {
  readonly #cutter: Cutter<P>
  readonly #rename: (part: P, ids: CallIds) => string
  /** Bytes of the unfinished part, and how many of them have been passed on. */
  #begun = 0
  #passed = 0
  #kept: Uint8Array = new Uint8Array()

  constructor(cutter: Cutter<P>, rename: (part: P, ids: CallIds) => string) {
    this.#cutter = cutter
    this.#rename = rename
  }

  /**
   * `ids` may begin to differ in the middle of a part: what has been passed on of it stays, and so does its
   * rest.
   */
  push(bytes: Uint8Array, ids: CallIds | null, onPart: (part: P) => void = () => undefined): Uint8Array {
    const parts = this.#cutter.push(bytes)
    const whole = parts.map(({ raw }) => utf8(raw))
    this.#begun += bytes.byteLength - whole.reduce((sum, part) => sum + part.byteLength, 0)
    for (const part of parts) onPart(part)
    if (ids === null || !ids.changed) {
      this.#passed = this.#begun
      this.#kept = bytes
      return bytes
    }
    const renamed = parts.map((part, at) =>
      at === 0 && this.#passed > 0 ? whole[0]?.subarray(this.#passed) : utf8(this.#rename(part, ids)),
    )
    this.#kept = Buffer.concat(
      whole.flatMap((part, at) => {
        if (renamed[at]?.byteLength === 0) return []
        return at === 0 ? part.subarray(this.#passed) : part
      }),
    )
    if (parts.length > 0) this.#passed = 0
    return Buffer.concat(renamed.filter((part) => part !== undefined))
  }

  /** The bytes of the last `push` under their recorded names, without parts that have no receiver. */
  get kept(): Uint8Array {
    return this.#kept
  }

  /** Whether the next byte begins a part. */
  get isBetween(): boolean {
    return this.#begun === 0
  }

  /** The rest at the end: the beginning of a part that never ended. */
  rest(): Uint8Array {
    return utf8(this.#cutter.rest()).subarray(this.#passed)
  }
}

export function renamedEvents(): RenamedStream<ServerEvent> {
  return new RenamedStream(new EventStream(Number.POSITIVE_INFINITY), (event, ids) => {
    const data = ids.rename(event.data)
    return data === event.data ? event.raw : withData(event, data)
  })
}

export function renamedLines(): RenamedStream<Line> {
  return new RenamedStream(new LineStream(Number.POSITIVE_INFINITY), (line, ids) => {
    const data = ids.rename(line.data)
    if (data === line.data) return line.raw
    return data === '' ? '' : `${data}${line.raw.slice(line.data.length)}`
  })
}
