/**
 * A tape in a debugger. Code that the debugger's user evaluates gets the values that the program got last,
 * and uses nothing of the tape. Calls that would start something are refused.
 */
import type { Answer, ClockValue } from '../../boundaries/session.ts'
import { clockValue } from '../records/clock-text.ts'
import type { GivenAnswer } from '../session/delivery.ts'
import { refusedInDebugger, type SessionWatch } from '../session/watch.ts'
import type { TapeSource } from './tape-source-contract.ts'

export function inspected(tape: TapeSource, watch: Pick<SessionWatch, 'isEvaluating'>): TapeSource {
  const clocks = new Map<string, ClockValue>()
  const randoms = new Map<string, Uint8Array>()
  const facts = new Map<string, string | null>()
  const answers = new Map<string, GivenAnswer>()
  let wallMs = 0
  return {
    ...tape,
    readClock(read, perform) {
      if (!watch.isEvaluating()) {
        const given = tape.readClock(read, perform)
        clocks.set(read.api, given.value)
        if (read.source === 'wall' && given.value.unit === 'ms') wallMs = given.value.value
        return given
      }
      const unit = /^(process\.hrtime|Temporal\.Now)/.test(read.api) ? 'ns' : 'ms'
      const value = clocks.get(read.api) ?? clockValue({ valueMs: read.source === 'wall' ? wallMs : 0 }, unit)
      return { value }
    },
    readRandom(read, perform) {
      const key = `${read.api} ${read.size ?? ''}`
      if (!watch.isEvaluating()) {
        const given = tape.readRandom(read, perform)
        randoms.set(key, given.value)
        return given
      }
      const value = randoms.get(key)
      if (value === undefined) throw refusedInDebugger(read.api)
      return { value }
    },
    readFact(read, perform) {
      const key = `${read.api} ${read.name}`
      if (!watch.isEvaluating()) {
        const given = tape.readFact(read, perform)
        facts.set(key, given.value)
        return given
      }
      return { value: facts.get(key) ?? null }
    },
    answer(call, perform: () => Answer) {
      if (!watch.isEvaluating()) {
        const given = tape.answer(call, perform)
        if (given !== null) answers.set(call.key, given)
        return given
      }
      // A write would change the files that the program finds later.
      const known = call.sent === undefined ? answers.get(call.key) : undefined
      if (known === undefined) throw refusedInDebugger(call.key)
      return known
    },
  }
}
