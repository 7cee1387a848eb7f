/**
 * The real side of a connection whose requests may be answered from an older tape. What the client writes is held until it is known whether that request
 * goes out; the real connection is opened for the first one that does. One that is answered from the tape leaves no byte on the network.
 */
import type { ConnectionWorld } from './world-connection.ts'

export class HeldWorld implements ConnectionWorld {
  readonly #open: () => ConnectionWorld
  #world: ConnectionWorld | null = null
  #held: Uint8Array[] = []
  #passing = false
  #ref = true
  readonly #options: Parameters<ConnectionWorld['option']>[] = []

  constructor(open: () => ConnectionWorld) {
    this.#open = open
  }

  write(bytes: Uint8Array): void {
    if (this.#passing) this.#world?.write(bytes)
    else this.#held.push(bytes)
  }

  decided(served: boolean): void {
    const held = this.#held
    this.#held = []
    if (served) return
    const world = this.#opened()
    for (const bytes of held) world.write(bytes)
  }

  pass(): void {
    this.#passing = true
    const world = this.#opened()
    world.pass()
    for (const bytes of this.#held.splice(0)) world.write(bytes)
  }

  end(): void {
    this.#world?.end()
  }

  destroy(orderly: boolean): void {
    this.#world?.destroy(orderly)
  }

  setRef(ref: boolean): void {
    this.#ref = ref
    this.#world?.setRef(ref)
  }

  option(...option: Parameters<ConnectionWorld['option']>): void {
    if (this.#world === null) this.#options.push(option)
    else this.#world.option(...option)
  }

  pause(): void {
    this.#world?.pause()
  }

  resume(): void {
    this.#world?.resume()
  }

  taken(bytes: number): void {
    this.#world?.taken(bytes)
  }

  #opened(): ConnectionWorld {
    if (this.#world !== null) return this.#world
    const world = this.#open()
    this.#world = world
    if (!this.#ref) world.setRef(false)
    for (const option of this.#options.splice(0)) world.option(...option)
    return world
  }
}
