/**
 * The idle limit of a connection (`socket.setTimeout`): one effect for as long as it is set. Bytes that cross
 * only move the real timer, so they leave no record; when it does expire, that is an outcome like any other.
 * The timer is the machine's, also where the program's clock is a virtual one.
 */
import { label } from '../../base/index.ts'
import { realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { outside } from '../context.ts'
import type { Effect, Session } from '../session.ts'
import { startSupporting } from './supporting.ts'

export class IdleLimit {
  readonly #session: Session
  readonly #expired: () => void
  #effect: Effect | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(session: Session, expired: () => void) {
    this.#session = session
    this.#expired = expired
  }

  set(ms: number): void {
    this.clear()
    if (!(ms > 0)) return
    const effect = startSupporting(
      this.#session,
      label('network'),
      `socket.setTimeout ${ms}`,
      this.#expired,
      false,
    )
    this.#effect = effect
    if (effect?.isLive === true)
      this.#timer = outside(() => realSetTimeout(() => effect.arrive({ type: 'timer' }), ms)).unref()
  }

  /** Starts the time anew. */
  moved(): void {
    this.#timer?.refresh()
  }

  clear(): void {
    if (this.#timer !== null) realClearTimeout(this.#timer)
    this.#effect?.close()
    this.#timer = null
    this.#effect = null
  }
}
