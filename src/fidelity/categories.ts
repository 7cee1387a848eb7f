/** Every category that a divergence can have: upstream's, `<kind>_<field>` of our own kinds, and those of a whole record or a whole run. */
import { kindRules } from './rules.ts'
import { unprovenCodes } from './warnings.ts'

const OF_RECORDS = [
  'missing_in_replay',
  'missing_in_recorded',
  'kind_mismatch',
  'phase_mismatch',
  'virtual_time_drift',
  'monotonic_drift',
  'unknown_kind',
  'extra_field',
  'payload_text',
  'payload_damaged',
]
const OF_RUNS = ['outcome_fs_diff', 'outcome_exit_code', 'outcome_llm_call_count', 'run_exit', 'run_stdout', 'run_stderr']

function ofFields(): string[] {
  const rules = [...kindRules.values()].flatMap(({ fields, links }) => [...fields, ...links])
  return rules.filter((rule) => rule.counts !== 'never').map((rule) => rule.category)
}

export const categories: ReadonlySet<string> = new Set([...OF_RECORDS, ...ofFields(), ...OF_RUNS])

/** What a budget may name: a category, or a reason why a comparison is unproven. */
export function isBudgetable(name: string): boolean {
  return categories.has(name) || unprovenCodes.some((code) => code === name)
}
