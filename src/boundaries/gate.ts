/**
 * The one place that delivers outcomes to the program: one per turn of the event loop, never more.
 *
 * While recording, real outcomes wait here in the order in which they arrived; while replaying, the tape
 * selects the next one. Between two turns all code is deterministic JavaScript and needs no record. Measured:
 * one macrotask per outcome is necessary and sufficient.
 *
 * Both modes deliver from the same lines of this file, and the ticks of a turn run from the same place: a
 * program that prints the stack of an error prints the same one in a replay.
 *
 * Decisions 0007, 0208 and 0531.
 */
import { AsyncResource } from 'node:async_hooks'
import { beginCallback } from '../real/async-marks.ts'
import { realSetImmediate } from '../real/clock.ts'
import { outside } from './context.ts'
import type { Outcome } from './session.ts'

/** Values of one connection that were computed from secrets and not sent yet. */
export type LoginState = { readonly values: Uint8Array[] }

/**
 * The connection whose data the running turn handles, if there is one.
 *
 * A variable, because an async context would turn on promise hooks on Node 20 and 22, and every `await` of the
 * program would take five times as long. It is enough in a process that is recorded as a whole: only the gate
 * calls the program, one outcome a turn, and continuations of promises run in the turn that settles them. An
 * effect remembers the cause of the turn that started it, and its delivery sets it again.
 */
let currentCause: LoginState | null = null

export function turnCause(): LoginState | null {
  return currentCause
}

export function setTurnCause(cause: LoginState | null): void {
  currentCause = cause
}

export type Gate = {
  /** Reports that there may be something to deliver. Keeps the process alive until the next turn. */
  wake(): void
}

/**
 * The result of a turn: something for the program, or nothing. `more` requests another turn, `idle` waits for
 * `wake`.
 */
export type TurnResult = TurnDelivery | 'more' | 'idle'

type TurnDelivery = {
  /** The async context of the program that made the call. */
  readonly resource: AsyncResource
  /** The cause of the turn in which the program made the call. */
  readonly cause: LoginState | null
  readonly receive: (outcome: Outcome) => void
  /** Called again after each outcome that the program has received; null ends the turn. */
  readonly next: () => Outcome | null
  /** The program has received everything, or threw. */
  readonly after?: () => void
}

/** After an exception Node flushes its ticks in its own immediate; the gate lets that one run first. */
const TURNS_AFTER_A_THROW = 2

/** Node's own immediates that have not run yet. */
let waitingImmediates = 0

/**
 * Call it after Node's own code has created an immediate: no gate delivers before it has run. The bundled
 * undici releases a connection for the next request in one. Without this, the order of that immediate and the
 * next delivery depends on when the gate was woken, and a replay opens a connection that the recording did
 * not open.
 */
export function letImmediateGoFirst(): void {
  letImmediatesGoFirst(1)
}

/** The same for a chain of that many immediates, each created by the one before it. */
export function letImmediatesGoFirst(count: number): void {
  waitingImmediates += 1
  const wait = (left: number): void => {
    outside(() =>
      realSetImmediate(() => {
        if (left > 1) wait(left - 1)
        else waitingImmediates -= 1
      }),
    )
  }
  wait(count)
}

export function createGate(turn: () => TurnResult): Gate {
  let armed = false
  let waitTurns = 0
  // Node handles an uncaught exception in the context in which the turn began, and the program's handlers
  // must find the session there. So a turn begins in the context in which the gate was created, and goes
  // outside from there.
  const home = new AsyncResource('reprise.gate', { requireManualDestroy: true })

  const arm = (): void => {
    armed = true
    home.runInAsyncScope(armInScope)
  }
  const armInScope = (): void => {
    realSetImmediate(run)
    // Node runs the ticks of the last immediate of a turn from another place than those of the others, and
    // stack traces show it. So ours is never the last.
    realSetImmediate(nothing)
  }

  const run = (): void => {
    armed = false
    beginCallback()
    setTurnCause(null)
    if (waitingImmediates > 0) {
      arm()
      return
    }
    if (waitTurns > 0) {
      waitTurns -= 1
      arm()
      return
    }
    let result: TurnResult = 'more'
    let returned = false
    try {
      result = outside(turn)
      if (typeof result !== 'string') completeTurn(result)
      returned = true
    } finally {
      // An exception of the program is not caught here: catching it and throwing it again later would change
      // its order.
      if (!returned) waitTurns = TURNS_AFTER_A_THROW
      if (result === 'more' && !armed) arm()
    }
  }

  return {
    wake() {
      if (!armed) arm()
    },
  }
}

function completeTurn({ resource, cause, receive, next, after }: TurnDelivery): void {
  setTurnCause(cause)
  try {
    for (let outcome = outside(next); outcome !== null; outcome = outside(next))
      resource.runInAsyncScope(receive, undefined, outcome)
  } finally {
    if (after !== undefined) outside(after)
  }
}

const nothing = (): undefined => undefined
