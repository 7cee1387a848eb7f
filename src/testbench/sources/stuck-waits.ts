/**
 * Fails waits for what the tape never delivers, in a session that has no end of its own to be watched. After
 * a second of idle time, a pending effect for which the tape has no more data is a divergence, and the
 * program receives it as an error. A timer cannot fail: it fires.
 *
 * Where the program may be waiting for something real (its clock, or its network, is not the tape's), only a
 * request that has had no answer at all counts.
 */
import { errorFacts } from '../../boundaries/errors.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { type Divergence, divergenceError } from '../../fidelity/divergence.ts'
import { neverDelivered } from '../../fidelity/sentences.ts'
import { realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { effectOf, isDelivery } from '../records/delivered-kinds.ts'
import type { OpenEffect } from '../session/source.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { createPatience, LOOK_EVERY_MS, PATIENCE_MS } from './patience.ts'
import type { TapeCursor } from './tape-cursor.ts'

export type Waits = {
  /** Open effects by their number on the tape. */
  readonly matched: ReadonlyMap<number, OpenEffect>
  readonly index: TapeIndex
  readonly cursor: TapeCursor
  idleMs(): number
  diverge(divergence: Divergence): Divergence
  deliver(id: number, outcome: Outcome): void
}

/** Looks until it is disposed of. Keeps the process alive only while something waits. */
export function failStuckWaits(waits: Waits, isAllTaped: boolean): Disposable {
  const patience = createPatience()
  let timer: NodeJS.Timeout
  const look = (): void => {
    const waiting = waitingIn(waits).filter(
      ([, effect]) => isAllTaped || (effect.waitsFor === 'answer' && !effect.hasAnswer),
    )
    if (waiting.length === 0 || waits.idleMs() < LOOK_EVERY_MS) patience.reset()
    else if (patience.isOver(PATIENCE_MS)) {
      for (const [recorded, effect] of waiting) if (!hasMore(waits.cursor, recorded)) fail(waits, effect)
      patience.reset()
    }
    timer = realSetTimeout(look, LOOK_EVERY_MS)
    if (waiting.length === 0) timer.unref()
  }
  look()
  return { [Symbol.dispose]: () => realClearTimeout(timer) }
}

/** What the program waits for, unless the tape is about to deliver something. */
function waitingIn({ matched, index, cursor }: Waits): [recorded: number, effect: OpenEffect][] {
  const next = cursor.peekDelivery()
  if (next !== null && index.isTaken(effectOf(next))) return []
  return [...matched].filter(([, effect]) => effect.ref && !effect.closed && effect.waitsFor !== null)
}

function hasMore(cursor: TapeCursor, recorded: number): boolean {
  for (const record of cursor.unread()) if (isDelivery(record) && effectOf(record) === recorded) return true
  return false
}

function fail({ diverge, deliver }: Waits, effect: OpenEffect): void {
  const divergence = diverge(neverDelivered(effect.key))
  const isTimer = effect.waitsFor === 'timer'
  effect.waitsFor = null
  deliver(
    effect.id,
    isTimer ? { type: 'timer' } : { type: 'error', error: errorFacts(divergenceError(divergence)) },
  )
}
