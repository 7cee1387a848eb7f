/**
 * Every category that a divergence can have: upstream's, `<kind>_<field>` of our own kinds, those of a whole
 * record or a whole run, and those of a replay.
 */
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
const OF_RUNS = [
  'outcome_fs_diff',
  'outcome_exit_code',
  'outcome_llm_call_count',
  'run_exit',
  'run_stdout',
  'run_stderr',
]

/** What a replay notices while it runs, and what its report sums up. */
export const replayCategories = [
  /** The program requested something that is not on the tape, or not any more. */
  'unmatched',
  /** It requested something that was a gap when recorded: the tape does not have its outcome. */
  'gap',
  /** It requested something whose bytes are missing. */
  'no_payload',
  /** It requested something of a boundary that is refused from here on. */
  'not_live',
  /** The tape has an outcome that the program did not ask for, or had given up. */
  'not_asked_for',
  /** The program requested it later than it did when recorded. */
  'out_of_order',
  /** The program ended, or waits, while the tape has more. */
  'ended_early',
  /** What the program sends is not what it sent when recorded. */
  'content',
  /** It read a variable or fact that the recorded run never read. */
  'env_unknown',
  'random_extra',
  'random_size',
  'random_missing',
  'clock_extra',
  'clock_missing',
  'exit_code',
  'stdout',
  'stderr',
  /** Findings beyond those that are listed. */
  'more_findings',
] as const

export type ReplayCategory = (typeof replayCategories)[number]

function ofFields(): string[] {
  const rules = [...kindRules().values()].flatMap(({ fields, links }) => [...fields, ...links])
  return rules.filter((rule) => rule.counts !== 'never').map((rule) => rule.category)
}

export const categories: ReadonlySet<string> = new Set([
  ...OF_RECORDS,
  ...ofFields(),
  ...OF_RUNS,
  ...replayCategories,
])

/** What a budget may name: a category, or a reason why a comparison is unproven. */
export function isBudgetable(name: string): boolean {
  return categories.has(name) || unprovenCodes.some((code) => code === name)
}
