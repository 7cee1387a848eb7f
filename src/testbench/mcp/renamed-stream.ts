/**
 * A recorded stream of events, passed on under the names of this run. As long as no name differs every byte goes on as it came, in the pieces in which it
 * came; from then on whole events do. Also knows where one event has ended and the next has not begun, so that something can be said in between.
 */
import { utf8 } from '../../base/index.ts'
import type { CallIds } from './call-ids.ts'
import { EventStream, type ServerEvent, withData } from './event-stream.ts'

export class RenamedStream {
  readonly #events = new EventStream(Number.POSITIVE_INFINITY)
  /** Bytes of the event that has begun and not ended, and how many of them have been passed on. */
  #begun = 0
  #passed = 0

  /** `ids` may begin to differ in the middle of an event: what has been passed on of it stays as it is, and so does its rest. */
  push(bytes: Uint8Array, ids: CallIds | null, heard: (event: ServerEvent) => void): Uint8Array {
    const events = this.#events.push(bytes)
    const whole = events.map(({ raw }) => utf8(raw))
    this.#begun += bytes.byteLength - whole.reduce((sum, part) => sum + part.byteLength, 0)
    for (const event of events) heard(event)
    if (ids === null || !ids.changed) {
      this.#passed = this.#begun
      return bytes
    }
    const parts = events.map((event, at) => (at === 0 && this.#passed > 0 ? whole[0]?.subarray(this.#passed) : renamedEvent(event, ids)))
    if (events.length > 0) this.#passed = 0
    return Buffer.concat(parts.filter((part) => part !== undefined))
  }

  /** Whether the next byte begins an event. */
  get isBetween(): boolean {
    return this.#begun === 0
  }

  /** What is left at the end: the beginning of an event that never ended. */
  rest(): Uint8Array {
    return utf8(this.#events.rest()).subarray(this.#passed)
  }
}

function renamedEvent(event: ServerEvent, ids: CallIds): Uint8Array {
  const data = ids.rename(event.data)
  return utf8(data === event.data ? event.raw : withData(event, data))
}
