/**
 * The idle limit of a connection (`socket.setTimeout`): one effect for as long as the connection has the same
 * limit. A server sets it anew after each answer, and a limit that never expires costs nothing on the tape but
 * its start. Bytes that cross only move the real timer, so they leave no record; when it does expire, that is
 * an outcome like any other. The timer is the machine's, also where the program's clock is a virtual one.
 *
 * Decision 0400.
 */
import { label } from '../../base/index.ts'
import { realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { outside } from '../context.ts'
import type { Effect, Session } from '../session.ts'
import { startSupporting } from './supporting.ts'

const NETWORK = label('network')

export class IdleLimit {
  readonly #session: Session
  readonly #expired: () => void
  #effect: Effect | null = null
  #timer: NodeJS.Timeout | null = null
  #ms = 0
  /** A limit that was taken away keeps its effect and its timer for the next time. */
  #isSet = false

  constructor(session: Session, expired: () => void) {
    this.#session = session
    this.#expired = expired
  }

  set(ms: number): void {
    const isWanted = ms > 0
    if (this.#session.startsIdleLimits === true || (isWanted && ms !== this.#ms)) this.clear()
    this.#effect?.dropWaiting()
    this.#isSet = isWanted
    if (!isWanted) return
    if (ms === this.#ms) this.#timer?.refresh()
    else this.#start(ms)
  }

  /** Starts the time anew. */
  moved(): void {
    if (this.#isSet) this.#timer?.refresh()
  }

  clear(): void {
    if (this.#timer !== null) realClearTimeout(this.#timer)
    this.#effect?.close()
    this.#timer = null
    this.#effect = null
    this.#ms = 0
    this.#isSet = false
  }

  #start(ms: number): void {
    const receive = (): void => {
      if (this.#isSet) this.#expired()
    }
    const effect = startSupporting(this.#session, NETWORK, `socket.setTimeout ${ms}`, receive, false)
    this.#effect = effect
    this.#ms = ms
    if (effect?.isLive !== true) return
    const over = (): void => {
      if (this.#isSet) effect.arrive({ type: 'timer' })
    }
    this.#timer = outside(() => realSetTimeout(over, ms)).unref()
  }
}
