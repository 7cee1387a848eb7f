/**
 * What a replay of one tape leaves out: the tapes of children, which were stand-ins. The verdict is about the tape
 * alone. If the model calls of the run are all on tapes of children, it proves nothing about the agent: then it is
 * `unverified`.
 *
 * Decision 0356.
 */

import { shellWord } from '../../base/index.ts'
import { inspectTape } from '../../tape/inspect.ts'
import { childSummaries } from '../../tape/run-summary.ts'
import type { ReplayReport } from './verdict.ts'

/** `path` as the user gave it. */
export function withUnreplayed(path: string, report: ReplayReport): ReplayReport {
  const children = childSummaries(path)
  if (children.length === 0) return report
  const command = `reprise replay ${shellWord(path)} --tree`
  const calls = children.reduce((sum, { model_calls: each }) => sum + each, 0)
  const unreplayed = { tapes: children.map(({ name }) => name), model_calls: calls, command }
  if (calls === 0 || (inspectTape(path).kinds.llm_call ?? 0) > 0) return { ...report, unreplayed }
  const reason = `all model calls (${calls}) are on the tapes of children, which were not replayed: ${command}`
  return {
    ...report,
    verdict: report.verdict === 'faithful' ? 'unverified' : report.verdict,
    reasons: [...report.reasons, reason],
    unreplayed,
  }
}

/** One line about a run that is faithful otherwise; null if nothing was left out. */
export function unreplayedNote({ verdict, unreplayed }: ReplayReport): string | null {
  if (unreplayed === undefined || verdict !== 'faithful') return null
  const { tapes, command } = unreplayed
  const which = tapes.length === 1 ? 'the tape of a child was' : `the tapes of ${tapes.length} children were`
  return `faithful; ${which} not replayed: ${command}`
}
