/**
 * The one door through which outcomes reach the program: one per turn of the event loop, never more.
 *
 * In a recording the world's answers wait here in the order in which they came; in a replay the tape says
 * which comes next. Between two turns all is deterministic JavaScript and needs no record. Measured: a
 * macrotask of its own per outcome is needed, and is enough.
 *
 * Both modes deliver from the same lines of this file, and the ticks of a turn are run from the same place:
 * a program that prints the stack of an error prints the same one in a replay.
 *
 * Decisions 0007 and 0208.
 */
import { AsyncResource } from 'node:async_hooks'
import { realSetImmediate } from '../real/clock.ts'
import { outside } from './context.ts'
import type { Outcome } from './session.ts'

export type Gate = {
  /** Says that there may be something to hand out. Keeps the process alive until the next turn. */
  wake(): void
}

/**
 * What a turn brings: something for the program, or nothing; `more` asks for another turn, `idle` waits to be
 * woken.
 */
export type TurnResult = TurnDelivery | 'more' | 'idle'

type TurnDelivery = {
  /** The async context of the program that asked. */
  readonly resource: AsyncResource
  readonly receive: (outcome: Outcome) => void
  /** Asked again after each outcome that the program has had; null ends the turn. */
  readonly next: () => Outcome | null
  /** The program has had it all, or threw. */
  readonly after?: () => void
}

/** After an exception Node flushes its ticks in an immediate of its own; the gate lets that one go first. */
const TURNS_AFTER_A_THROW = 2

/** Immediates of Node's own that have not run yet. */
let waitingImmediates = 0

/**
 * Called after Node's own code has made an immediate: no gate delivers before it has run. The bundled undici
 * frees a connection for the next request in one. Without this, the order of that immediate and the next
 * delivery depends on when the gate was woken, and a replay opens a connection that the recording did not.
 */
export function letImmediateGoFirst(): void {
  waitingImmediates += 1
  outside(() =>
    realSetImmediate(() => {
      waitingImmediates -= 1
    }),
  )
}

export function createGate(turn: () => TurnResult): Gate {
  let armed = false
  let waitTurns = 0
  // An uncaught exception is handled where the turn began, and the program's handlers must find
  // the session there: so a turn begins in the context in which the gate was made, and steps outside from
  // there.
  const home = new AsyncResource('reprise.gate', { requireManualDestroy: true })

  const arm = (): void => {
    armed = true
    home.runInAsyncScope(realSetImmediate, undefined, run)
    // Node runs the ticks of the last immediate of a turn from elsewhere than those of the others, and stacks
    // show it: ours is never the last.
    home.runInAsyncScope(realSetImmediate, undefined, nothing)
  }

  const run = (): void => {
    armed = false
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
      // An exception of the program leaves by the front door: catching and throwing it again later would
      // change its order.
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

function completeTurn({ resource, receive, next, after }: TurnDelivery): void {
  try {
    for (let outcome = outside(next); outcome !== null; outcome = outside(next))
      resource.runInAsyncScope(receive, undefined, outcome)
  } finally {
    if (after !== undefined) outside(after)
  }
}

const nothing = (): undefined => undefined
