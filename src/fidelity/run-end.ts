/**
 * How both runs ended, as stored in their seals: exit code or signal, and in the modes that compare
 * everything, what they printed.
 */
import type { Json } from '../base/index.ts'
import type { DivergenceFacts } from './divergence.ts'
import { jsonText } from './json-text.ts'
import type { FidelityMode } from './modes.ts'
import type { RunEnd } from './source.ts'
import { bounded, cut } from './spelling.ts'

const ENDS = [
  ['exit', 'run_exit', 'exit of the run'],
  ['stdout', 'run_stdout', 'stdout of the run'],
  ['stderr', 'run_stderr', 'stderr of the run'],
] as const

/**
 * Nothing without two seals, and nothing about what only one seal knows: that is not a difference of the
 * runs.
 */
export function compareRunEnds(
  recorded: RunEnd | null,
  replayed: RunEnd | null,
  mode: FidelityMode,
): DivergenceFacts[] {
  if (recorded === null || replayed === null) return []
  const found: DivergenceFacts[] = []
  for (const [name, category, thing] of ENDS) {
    if (mode === 'outcome' && name !== 'exit') continue
    const [expected, actual] = [recorded[name], replayed[name]]
    if (expected === null || actual === null) continue
    const [left, right] = [jsonText(expected), jsonText(actual)]
    if (left !== right) found.push(facts(category, thing, expected, actual, cut(left), cut(right)))
  }
  return found
}

function facts(
  category: string,
  thing: string,
  expected: Json,
  actual: Json,
  recorded: string,
  replay: string,
): DivergenceFacts {
  const words = { form: 'diverged', thing, recorded, replay } as const
  return {
    seq: null,
    category,
    code: 'run',
    path: null,
    expected: bounded(expected),
    actual: bounded(actual),
    payload: null,
    words,
  }
}
