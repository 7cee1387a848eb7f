/**
 * The report as JUnit XML, which every CI system shows: a failed test case for each finding that is listed,
 * one that passed if there is none. Text from a tape is made printable and escaped: it can neither end an
 * element nor hold a character that XML forbids.
 */
import { printable } from '../../base/index.ts'
import type { Finding } from '../divergence.ts'
import { warningSentence } from '../sentences.ts'
import { isUnproven } from '../warnings.ts'
import {
  type ComparedChild,
  childLine,
  headline,
  type Presented,
  payloadPlace,
  verdictLine,
} from './presented.ts'

/** More than these are counted in the last test case. */
const MAX_CASES = 500

type Case = { readonly name: string; readonly type: string; readonly message: string; readonly text: string }

export function formatJunit(presented: Presented): string {
  const { report, judgement } = presented
  const problems = judgement.passed
    ? []
    : [
        ...report.findings.slice(0, MAX_CASES).map(findingCase),
        ...unlisted(presented),
        ...unproven(presented),
        ...(presented.children ?? []).filter(isWrong).map(childCase),
      ]
  const tests = Math.max(problems.length, 1)
  const suite = `name="reprise fidelity" tests="${tests}" failures="${problems.length}" errors="0" skipped="0"`
  const className = `classname="fidelity.${report.mode}"`
  const cases = problems.map(
    ({ name, type, message, text }) =>
      `    <testcase ${className} name="${escaped(name)}">\n      <failure type="${escaped(type)}" message="${escaped(message)}">${escaped(text)}</failure>\n    </testcase>`,
  )
  if (cases.length === 0)
    cases.push(
      `    <testcase ${className} name="${escaped(`${presented.recordedName} and ${presented.replayName}`)}"/>`,
    )
  const children = (presented.children ?? []).map(childLine)
  const output = [verdictLine(presented), ...children, ...report.warnings.map(warningSentence)]
    .map(escaped)
    .join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${suite.replace(' skipped="0"', '')}>
  <testsuite ${suite}>
${cases.join('\n')}
    <system-out>${output}</system-out>
  </testsuite>
</testsuites>
`
}

function isWrong({ verdict }: ComparedChild): boolean {
  return verdict !== 'same'
}

function childCase(child: ComparedChild): Case {
  const { name, verdict, message } = child
  return { name: `child ${name}`, type: `child_${verdict}`, message: childLine(child), text: message ?? '' }
}

function findingCase(finding: Finding): Case {
  const place = finding.recorded ?? finding.replayed
  const name = place === null ? 'outcome' : `record ${place.seq}: ${place.summary}`
  const [first] = finding.divergences
  const lines = finding.divergences.flatMap((divergence) => {
    const where = payloadPlace(divergence)
    return where === null ? [divergence.message] : [divergence.message, `  differs at ${where}`]
  })
  // Each line on its own, so that a line break inside a value stays visible as one.
  return { name, type: first?.category ?? '', message: headline(finding), text: lines.join('\n') }
}

function unlisted({ report }: Presented): Case[] {
  const more = report.findingCount - Math.min(report.findings.length, MAX_CASES)
  return more === 0
    ? []
    : [
        {
          name: 'further findings',
          type: 'unlisted',
          message: `${more} more findings are not listed`,
          text: '',
        },
      ]
}

function unproven({ report }: Presented): Case[] {
  return report.warnings.filter(isUnproven).map((warning) => ({
    name: `${warning.code}: ${warning.side ?? ''}`,
    type: warning.code,
    message: warningSentence(warning),
    text: '',
  }))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function escaped(text: string): string {
  return (
    text
      .split('\n')
      .map((line) => printable(line, 4000))
      .join('\n')
      .replace(/[\ufffe\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`)
      .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
      // A CI system that reads the file line by line takes `::error` and `##[…]` at the beginning of a line
      // for a command.
      .replace(/^([ \t]*)([:#])(?=\2)/gm, '$1$2 ')
  )
}
