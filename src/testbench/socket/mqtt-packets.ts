/**
 * Joins the binary messages that a client of MQTT sends over a WebSocket to packets.
 *
 * Where a message ends has no meaning in MQTT, and clients send each field of a packet as a message of its own.
 * The length of a password is then in other messages than the password, so it can only be removed from the
 * whole packet.
 *
 * Decision 0430.
 */
import { concatBytes } from '../../base/index.ts'

/** A longer packet is not joined. */
const LONGEST = 1024 * 1024
/** The type of a packet, and a length of 7 bits in each byte. */
const LONGEST_HEAD = 5

export class MqttPackets {
  #held: Uint8Array[] = []
  #size = 0
  /** Bytes of a long packet that are still to come. */
  #passing = 0

  get isHolding(): boolean {
    return this.#size > 0
  }

  /** The bytes that are complete now, as records store them. */
  push(bytes: Uint8Array): readonly Uint8Array[] {
    if (this.#passing >= bytes.byteLength) {
      this.#passing -= bytes.byteLength
      return [bytes]
    }
    const before = bytes.subarray(0, this.#passing)
    this.#held.push(bytes.subarray(this.#passing))
    this.#size += bytes.byteLength - this.#passing
    this.#passing = 0
    return [...(before.byteLength === 0 ? [] : [before]), ...this.#complete()]
  }

  /** What belongs to a packet that is not complete. Forgets it. */
  release(): readonly Uint8Array[] {
    const held = this.#held
    this.#held = []
    this.#size = 0
    return held
  }

  #complete(): readonly Uint8Array[] {
    const packets: Uint8Array[] = []
    while (this.#size > 0) {
      const length = packetLength(headOf(this.#held))
      const isLong = length !== null && length > LONGEST
      if (length === null || (length > this.#size && !isLong)) break
      const joined = concatBytes(this.release())
      packets.push(joined.subarray(0, length))
      if (length >= joined.byteLength) {
        this.#passing = length - joined.byteLength
        break
      }
      this.#held = [joined.subarray(length)]
      this.#size = joined.byteLength - length
    }
    return packets
  }
}

function headOf(pieces: readonly Uint8Array[]): readonly number[] {
  const head: number[] = []
  for (const piece of pieces) {
    head.push(...piece.subarray(0, LONGEST_HEAD - head.length))
    if (head.length === LONGEST_HEAD) break
  }
  return head
}

/** Null if the head is not complete. A head that is no MQTT counts as a packet. */
function packetLength(head: readonly number[]): number | null {
  let length = 0
  for (let width = 1; width < LONGEST_HEAD; width += 1) {
    const byte = head[width]
    if (byte === undefined) return null
    length += (byte & 0x7f) << (7 * (width - 1))
    if ((byte & 0x80) === 0) return 1 + width + length
  }
  return LONGEST_HEAD
}
