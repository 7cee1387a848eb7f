/**
 * The report for people: how it ended, the first divergence with its context, one line for each of the next
 * ones, then counts by category.
 */
import { printable } from '../../base/index.ts'
import type { Finding, Place } from '../divergence.ts'
import { printScore } from '../score.ts'
import { warningSentence } from '../sentences.ts'
import {
  count,
  headline,
  hintFor,
  type Presented,
  payloadPlace,
  payloadValues,
  verdictLine,
} from './presented.ts'

/** Findings after the first that get a line of their own. */
const MAX_SHORT = 20

export function formatText(presented: Presented): string {
  const lines = [
    ...overview(presented),
    ...firstFinding(presented),
    ...otherFindings(presented),
    ...byCategory(presented),
    ...warnings(presented),
  ]
  return `${lines.map((line) => printable(line, 4000)).join('\n')}\n`
}

function overview(presented: Presented): string[] {
  const { report, recordedName, replayName } = presented
  const share = report.recordedRecords + report.replayRecords === 0 ? ' (of nothing)' : ''
  return [
    `fidelity ${verdictLine(presented)}`,
    row(
      'recorded',
      `${recordedName}, ${count(report.recordedRecords, 'record')}${gapWords(report.gaps.recorded)}`,
    ),
    row('replay', `${replayName}, ${count(report.replayRecords, 'record')}${gapWords(report.gaps.replayed)}`),
    row('score', `${printScore(report.score)}${share}`),
  ]
}

function gapWords(gaps: number): string {
  return gaps === 0 ? '' : `, ${count(gaps, 'gap')}`
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(12)} ${value}`
}

function place({ seq, line, summary }: Place): string {
  return `#${seq} ${summary}${line === 0 ? '' : ` (line ${line})`}`
}

function firstFinding({ report }: Presented): string[] {
  const [first] = report.findings
  if (first === undefined) return []
  const lines = ['', headline(first)]
  if (first.lastMatch !== null) lines.push(row('last match', place(first.lastMatch)))
  if (first.recorded !== null) lines.push(row('recorded', place(first.recorded)))
  if (first.replayed !== null) lines.push(row('replay', place(first.replayed)))
  for (const [at, divergence] of first.divergences.entries()) {
    // The headline has the first one.
    if (at > 0) lines.push(row('also', divergence.message))
    const where = payloadPlace(divergence)
    if (where !== null) lines.push(row('differs at', where))
    const values = payloadValues(divergence)
    if (values !== null) lines.push(row('  expected', values[0]), row('  got', values[1]))
  }
  const hint = hintFor(first)
  if (hint !== null) lines.push(row('hint', hint))
  return lines
}

function otherFindings({ report }: Presented): string[] {
  const [first, ...after] = report.findings
  // A clock read that differs shifts the values of those after it.
  const folded = first !== undefined && isClockRead(first) ? after.filter(isClockRead).length : 0
  const own = folded === 0 ? after : after.filter((finding) => !isClockRead(finding))
  const others = own.slice(0, MAX_SHORT)
  if (others.length + folded === 0) return []
  const unlisted = report.findingCount - 1 - folded - others.length
  return [
    '',
    'Then',
    ...(folded === 0
      ? []
      : [`  ${count(folded, 'more clock read')} follow${folded === 1 ? 's' : ''} from this`]),
    ...others.map((finding) => `  ${shortLine(finding)}`),
    ...(unlisted > 0 ? [`  and ${unlisted} more`] : []),
  ]
}

function isClockRead({ recorded, replayed }: Finding): boolean {
  return (recorded ?? replayed)?.kind === 'clock_read'
}

function shortLine(finding: Finding): string {
  const more = finding.divergences.length - 1
  return `${headline(finding)}${more > 0 ? ` (and ${more} more there)` : ''}`
}

function byCategory({ judgement }: Presented): string[] {
  if (judgement.lines.length === 0) return []
  const width = Math.max(...judgement.lines.map(({ name }) => name.length))
  const lines = judgement.lines.map(({ name, found, allowed }) => {
    const allowance = allowed === 0 ? '' : `  of ${allowed} allowed`
    return `  ${name.padEnd(width)}  ${found}${allowance}`
  })
  return ['', 'By category', ...lines]
}

function warnings({ report }: Presented): string[] {
  if (report.warnings.length === 0) return []
  return ['', 'Warnings', ...report.warnings.map((warning) => `  ${warningSentence(warning)}`)]
}
