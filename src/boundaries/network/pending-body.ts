/**
 * The body of an unfinished request. A small one is held, because it is part of the match key; a large one
 * goes to the session in pieces.
 */
import {
  type HeaderList,
  type HttpRequest,
  LARGE_BODY_BYTES,
  type RequestBody,
  type Session,
} from '../session.ts'

export class PendingBody {
  readonly #session: Session
  readonly #headers: HeaderList
  #held: Uint8Array[] = []
  #heldBytes = 0
  #collected: RequestBody | null = null

  constructor(session: Session, headers: HeaderList) {
    this.#session = session
    this.#headers = headers
  }

  /** `isBorrowed`: the bytes may change after the call. They are copied if they are held. */
  add(bytes: Uint8Array, isBorrowed = false): void {
    this.#heldBytes += bytes.byteLength
    if (this.#heldBytes > LARGE_BODY_BYTES) this.#collect()
    if (this.#collected !== null) this.#collected.add(bytes, isBorrowed)
    else this.#held.push(isBorrowed ? new Uint8Array(bytes) : bytes)
  }

  #collect(): void {
    this.#collected ??= this.#session.collectBody?.(this.#headers) ?? null
    if (this.#collected === null) return
    for (const bytes of this.#held.splice(0)) this.#collected.add(bytes)
  }

  /** Call it once: nothing is added after it. `body` is null if there was none. */
  take(): Pick<HttpRequest, 'body' | 'collected'> {
    if (this.#collected !== null) return { body: null, collected: this.#collected }
    const held = this.#held
    this.#held = []
    return { body: held.length === 0 ? null : Buffer.concat(held) }
  }

  drop(): void {
    this.#held = []
    this.#collected?.drop()
  }
}
