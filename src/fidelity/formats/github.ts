/**
 * The report as workflow commands, which GitHub shows as annotations: one for each of the first findings, at
 * their line of the recorded tape, then one that counts. Every value is escaped, so that text from a tape
 * cannot begin a command of its own.
 */
import { printable } from '../../base/index.ts'
import type { Finding } from '../divergence.ts'
import { warningSentence } from '../sentences.ts'
import { isUnproven } from '../warnings.ts'
import { childLine, headline, hintFor, type Presented, payloadPlace, verdictLine } from './presented.ts'

/** GitHub shows ten errors of a step. The last one is the summary. */
const MAX_ANNOTATIONS = 9

type Level = 'error' | 'warning' | 'notice'

export function formatGithub(presented: Presented): string {
  const { report, judgement, recordedName, replayName } = presented
  const level: Level = judgement.passed ? 'notice' : 'error'
  const lines = report.findings
    .slice(0, MAX_ANNOTATIONS)
    .map((finding) => annotation(finding, level, recordedName, replayName))
  const unproven = judgement.passed ? 'warning' : 'error'
  for (const warning of report.warnings)
    lines.push(
      command(isUnproven(warning) ? unproven : 'warning', { title: 'fidelity' }, [warningSentence(warning)]),
    )
  for (const child of presented.children ?? [])
    if (child.verdict !== 'same') lines.push(command(level, { title: 'fidelity' }, [childLine(child)]))
  lines.push(command(level, { title: 'fidelity' }, [verdictLine(presented)]))
  return `${lines.join('\n')}\n`
}

function annotation(finding: Finding, level: Level, recordedName: string, replayName: string): string {
  const place = finding.recorded ?? finding.replayed
  const file = finding.recorded === null ? replayName : recordedName
  const where = place === null || place.line === 0 ? {} : { file, line: String(place.line) }
  const details = finding.divergences.flatMap((divergence) => {
    const inside = payloadPlace(divergence)
    return inside === null ? [divergence.message] : [divergence.message, `differs at ${inside}`]
  })
  const hint = hintFor(finding)
  return command(level, { ...where, title: headline(finding).slice(0, 200) }, [
    ...details,
    ...(hint === null ? [] : [`hint: ${hint}`]),
  ])
}

function command(
  level: Level,
  properties: Readonly<Record<string, string>>,
  lines: readonly string[],
): string {
  const given = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(value)}`)
  return `::${level} ${given.join(',')}::${lines.map(escapedLine).join('%0A')}`
}

function escapedLine(text: string): string {
  return printable(text, 2000).replace(/%/g, '%25')
}

function escapedProperty(text: string): string {
  return escapedLine(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}
