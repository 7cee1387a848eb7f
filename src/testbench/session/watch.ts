/** Observes a session from outside, as a debugger does. */
import { RepriseError } from '../../errors/index.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { RecordPlace } from './delivery.ts'

export type SessionWatch = {
  /** A record of the tape has its counterpart in this run; the program has not received it yet. */
  reached(place: RecordPlace): void
  diverged(divergence: Divergence): void
  /** True while code of the debugger's user runs: nothing is recorded, and no effect may start. */
  isEvaluating(): boolean
}

export function refusedInDebugger(what: string): RepriseError {
  return new RepriseError('debug-refused', `${what} is not available to code that a debugger evaluates`, {
    hint: 'synchronous reads return the last recorded value; nothing else runs while you evaluate',
  })
}
