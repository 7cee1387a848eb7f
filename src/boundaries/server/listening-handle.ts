/** Replaces the native handle of a program's server, in both modes: see decision 0120. */

export type Address = { readonly address: string; readonly family: string; readonly port: number }

export type HandleEnds = {
  /** Called if the address is read before the `listening` event. */
  addressNow(): Address | null
  close(): void
  setRef(ref: boolean): void
}

export class ListeningHandle {
  address: Address | null = null
  onconnection: unknown = null
  reading = false
  readonly fd = -1
  /** Fills in the address, as the native one does; a Unix socket has none. */
  readonly getsockname?: (out: Record<string, unknown>) => number
  readonly #ends: HandleEnds
  #ref = true
  #isClosed = false

  constructor(hasAddress: boolean, ends: HandleEnds) {
    this.#ends = ends
    if (!hasAddress) return
    this.getsockname = (out) => {
      this.address ??= this.#ends.addressNow()
      Object.assign(out, this.address ?? {})
      return 0
    }
  }

  close(done?: () => void): void {
    if (!this.#isClosed) this.#ends.close()
    this.#isClosed = true
    done?.()
  }

  ref(): void {
    this.#ref = true
    this.#ends.setRef(true)
  }

  unref(): void {
    this.#ref = false
    this.#ends.setRef(false)
  }

  hasRef(): boolean {
    return this.#ref && !this.#isClosed
  }

  getAsyncId(): number {
    return -1
  }
}
