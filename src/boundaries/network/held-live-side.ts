/**
 * The real side of a connection whose requests may be answered from an older tape. Written bytes are held
 * until it is known whether that request is sent; the real connection is opened for the first one that is. A
 * request that is answered from the tape sends no byte.
 */

import type { RealSocket } from '../../real/sockets.ts'
import type { Closing } from '../sockets/close-socket.ts'
import type { LiveSide } from './live-connection.ts'

export class HeldLiveSide implements LiveSide {
  readonly #open: () => LiveSide
  #live: LiveSide | null = null
  #held: Uint8Array[] = []
  #passing = false
  #ref = true
  readonly #options: Parameters<LiveSide['option']>[] = []

  constructor(open: () => LiveSide) {
    this.#open = open
  }

  write(bytes: Uint8Array): void {
    if (this.#passing) this.#live?.write(bytes)
    else this.#held.push(bytes)
  }

  decided(served: boolean, instead: Uint8Array | null = null): void {
    const held = instead === null ? this.#held : [instead]
    this.#held = []
    if (served) return
    const live = this.#opened()
    for (const bytes of held) live.write(bytes)
  }

  pass(): void {
    this.#passing = true
    const live = this.#opened()
    live.pass()
    for (const bytes of this.#held.splice(0)) live.write(bytes)
  }

  end(): void {
    this.#live?.end()
  }

  destroy(closing: Closing): void {
    this.#live?.destroy(closing)
  }

  whenDrained(drained: () => void): void {
    this.#opened().whenDrained(drained)
  }

  handOver(): RealSocket {
    return this.#opened().handOver()
  }

  setRef(ref: boolean): void {
    this.#ref = ref
    this.#live?.setRef(ref)
  }

  option(...option: Parameters<LiveSide['option']>): void {
    if (this.#live === null) this.#options.push(option)
    else this.#live.option(...option)
  }

  pause(): void {
    this.#live?.pause()
  }

  resume(): void {
    this.#live?.resume()
  }

  taken(bytes: number): void {
    this.#live?.taken(bytes)
  }

  #opened(): LiveSide {
    if (this.#live !== null) return this.#live
    const live = this.#open()
    this.#live = live
    if (!this.#ref) live.setRef(false)
    for (const option of this.#options.splice(0)) live.option(...option)
    return live
  }
}
