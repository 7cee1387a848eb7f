/**
 * The one door through which outcomes reach the program: one per turn of the event loop, never more.
 *
 * In a recording the world's answers wait here in the order in which they came; in a replay the tape says which comes next. Between two turns all
 * is deterministic JavaScript and needs no record. Measured: a macrotask of its own per outcome is needed, and is enough.
 */
import { AsyncResource } from 'node:async_hooks'
import { realSetImmediate } from '../real/clock.ts'
import { outside } from './context.ts'

export type Gate = {
  /** Says that there may be something to hand out. Keeps the process alive until the next turn. */
  wake(): void
}

/** What a turn did: `more` asks for another turn, `idle` waits to be woken. */
export type TurnResult = 'more' | 'idle'

/** After an exception Node flushes its ticks in an immediate of its own; the gate lets that one go first. */
const TURNS_AFTER_A_THROW = 2

export function createGate(turn: () => TurnResult): Gate {
  let armed = false
  let waitTurns = 0
  // An exception that nobody catches is handled where the turn began, and the program's handlers must find the session there: so a turn begins in
  // the context in which the gate was made, and steps outside from there.
  const home = new AsyncResource('reprise.gate', { requireManualDestroy: true })

  const arm = (): void => {
    armed = true
    home.runInAsyncScope(realSetImmediate, undefined, run)
  }

  const run = (): void => {
    armed = false
    if (waitTurns > 0) {
      waitTurns -= 1
      arm()
      return
    }
    let result: TurnResult = 'more'
    let returned = false
    try {
      result = outside(turn)
      returned = true
    } finally {
      // An exception of the program leaves by the front door: catching and throwing it again later would change its order.
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
