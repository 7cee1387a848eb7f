/**
 * How a terminal is started, beyond its match key: variables that the program set or withholds, the name of the
 * terminal, its owner. Recorded as `request` of its start, and compared in a replay; an older tape does not have
 * it.
 */
import { fieldsOf, type Json } from '../../base/index.ts'
import type { TerminalFacts } from '../../boundaries/session.ts'
import { divergenceError } from '../../fidelity/divergence.ts'
import { otherStart } from '../../fidelity/sentences.ts'
import type { ScrubbedJson } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'
import {
  environmentDifference,
  environmentFields,
  type StartDifference,
} from '../records/child-environment.ts'
import type { Origin, Tools } from '../session/family.ts'

export type TerminalStarts = {
  /** The fields of `effect_start`. */
  written(facts: TerminalFacts, origin: Origin): { readonly request?: ScrubbedJson }
  /** Throws the divergence if it is started in another way than the recorded one. */
  check(facts: TerminalFacts, origin: Origin, key: string): void
}

export function terminalStarts(tools: Tools): TerminalStarts {
  const { scrubber, tape } = tools
  return {
    written({ term, start }, origin) {
      if (origin.type === 'world' || tape === null) {
        const options = scrubber.value({ term, ...start.options }, 'sent')
        return { request: { ...environmentFields(start, scrubber), ...options } }
      }
      const recorded = tape.index.childStart(origin.effect)
      return recorded === undefined ? {} : { request: tools.received(origin).value(recorded.request) }
    },
    check(facts, origin, key) {
      if (origin.type === 'world' || tape === null || !hasFeature(tape.header, 'terminalStarts')) return
      const recorded = tape.index.childStart(origin.effect)
      const fields = fieldsOf(recorded?.request)
      const difference =
        environmentDifference(fields, facts.start, scrubber, tape.moved, true) ??
        optionDifference(fields, facts)
      if (difference !== null)
        throw divergenceError(tools.diverge(otherStart(recorded?.seq ?? null, key, difference)))
    },
  }
}

const OPTIONS = ['term', 'uid', 'gid'] as const

function optionDifference(
  recorded: { readonly [name: string]: Json },
  { term, start }: TerminalFacts,
): StartDifference | null {
  const live: { readonly [name: string]: Json | undefined } = { term, ...start.options }
  for (const name of OPTIONS) {
    const [then, now] = [shown(recorded[name]), shown(live[name])]
    if (then !== now) return { path: name, expected: then, actual: now }
  }
  return null
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
