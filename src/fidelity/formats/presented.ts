/** What every format presents: the report, the names of the two tapes, and whether it passes. */

import type { Judgement } from '../budget.ts'
import type { Divergence, Finding } from '../divergence.ts'
import type { FidelityReport, FidelityVerdict } from '../report.ts'
import { warningSentence } from '../sentences.ts'
import { isUnproven } from '../warnings.ts'

/** The tape of a child, compared with its counterpart or with a replay of it. */
export type ComparedChild = {
  /** In the tree: `2.tape`, `2.tape.children/1.tape`. */
  readonly name: string
  readonly verdict: FidelityVerdict
  /** What was found; null if nothing was. */
  readonly message: string | null
}

export type Presented = {
  readonly report: FidelityReport
  /** `passed` is that of the whole tree. */
  readonly judgement: Judgement
  /** Paths, as given. */
  readonly recordedName: string
  readonly replayName: string
  /** Left out without any. */
  readonly children?: readonly ComparedChild[]
}

/** What was found in a child, in one line. */
export function childLine({ name, verdict, message }: ComparedChild): string {
  return `child ${name}: ${message ?? verdict}`
}

/** One line: how the comparison ended. Never a plain "the same" where something could not be seen. */
export function verdictLine(presented: Presented): string {
  const { children = [] } = presented
  const wrong = children.filter(({ verdict }) => verdict !== 'same').length
  const line = ownVerdictLine(presented)
  return wrong === 0 ? line : `${line}; not the same: ${wrong} of ${count(children.length, 'child tape')}`
}

function ownVerdictLine({ report, judgement }: Presented): string {
  const compared = `${report.mode}, ${report.align}, ${report.recordedRecords} recorded and ${report.replayRecords} replayed records`
  switch (report.verdict) {
    case 'same':
      return `same: no divergence (${compared})`
    case 'unverified':
      return `unverified: no divergence was seen, but ${report.warnings.filter(isUnproven).map(warningSentence).join('; ')} (${compared})`
    case 'diverged':
      return `diverged: ${count(report.divergenceCount, 'divergence')} in ${count(report.findingCount, 'finding')}${judgement.passed ? ', all within the budget' : ''} (${compared})`
  }
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** `Replay diverged at record 42: expected file_read "plan.md", got POST https://…` */
export function headline(finding: Finding): string {
  const [first] = finding.divergences
  const { recorded, replayed } = finding
  if (recorded === null && replayed === null) return `Replay diverged in its outcome: ${first?.message ?? ''}`
  if (first?.code === 'payload-damaged')
    return `Payload damaged at record ${recorded?.seq ?? replayed?.seq}: ${first.message}`
  if (recorded === null)
    return `Replay diverged ${after(finding)}: got ${replayed?.summary}, which was not recorded`
  if (replayed === null)
    return `Replay diverged at record ${recorded.seq}: expected ${recorded.summary}, which the replay does not have`
  if (first?.code === 'kind')
    return `Replay diverged at record ${recorded.seq}: expected ${recorded.summary}, got ${replayed.summary}`
  return `Replay diverged at record ${recorded.seq}: ${first?.message ?? ''}`
}

function after({ lastMatch }: Finding): string {
  return lastMatch === null ? 'at its beginning' : `after record ${lastMatch.seq}`
}

/** Where inside the payload, in one line; null if that is not known. */
export function payloadPlace({ payload }: Divergence): string | null {
  if (payload === null) return null
  switch (payload.form) {
    case 'json': {
      const [first] = payload.differences
      if (first === undefined) return null
      const message = payload.changedMessage
      const role = message?.role == null ? '' : `, ${message.role}`
      return message === null ? first.path : `${first.path} (message ${message.index}${role})`
    }
    case 'text':
      return `line ${payload.line}, column ${payload.column}`
    case 'bytes':
      return `byte ${payload.offset} (${payload.expectedBytes} and ${payload.actualBytes} bytes)`
    case 'unavailable':
      return `not looked into: the payload of the ${payload.side} tape is ${payload.reason}`
  }
}

/** Both sides at that place, as text; null where there is nothing to show. */
export function payloadValues({ payload }: Divergence): readonly [expected: string, actual: string] | null {
  if (payload?.form === 'json') {
    const [first] = payload.differences
    return first === undefined ? null : [shown(first.expected), shown(first.actual)]
  }
  return payload?.form === 'text' ? [shown(payload.expected), shown(payload.actual)] : null
}

const MAX_SHOWN = 300

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= MAX_SHOWN
    ? text
    : `${text.slice(0, MAX_SHOWN)}… (${text.length - MAX_SHOWN} more characters)`
}

/** What to do next, or null. */
export function hintFor(finding: Finding): string | null {
  const codes = new Set(finding.divergences.map((divergence) => divergence.code))
  if (codes.has('payload-damaged') || codes.has('payload-text'))
    return 'a tape or its CAS was changed after recording: reprise verify shows where'
  if ([...codes].every((code) => code === 'time' || code === 'phase'))
    return 'only times differ: --mode semantic leaves them out'
  if (codes.has('missing') || codes.has('extra') || codes.has('kind'))
    return 'the run took another way here: record again, or compare with --mode outcome'
  if (finding.divergences.some(({ category }) => category === 'llm_response_hash'))
    return 'a model answered differently: replay answers from the tape, or compare with --mode outcome'
  return null
}
