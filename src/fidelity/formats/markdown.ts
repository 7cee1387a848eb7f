/**
 * The report for a pull request. Text from a tape is inside `<code>` with every character that Markdown could
 * read as its own written as an entity: it cannot make a link, an image, a mention, a heading or a row of the
 * table.
 */
import { printable } from '../../base/index.ts'
import { printScore } from '../score.ts'
import { warningSentence } from '../sentences.ts'
import {
  childLine,
  count,
  headline,
  hintFor,
  type Presented,
  payloadPlace,
  payloadValues,
  verdictLine,
} from './presented.ts'

const MAX_ROWS = 20

export function formatMarkdown(presented: Presented): string {
  const { report, judgement } = presented
  const parts = [
    `### Fidelity: ${judgement.passed ? 'passed' : 'not passed'}`,
    plain(verdictLine(presented)),
    `Recorded ${code(presented.recordedName)}, replay ${code(presented.replayName)}, score ${printScore(report.score)}.`,
    ...firstFinding(presented),
    ...table(presented),
    ...categoryTable(presented),
    ...childList(presented),
    ...(report.warnings.length === 0
      ? []
      : [report.warnings.map((warning) => `- ${plain(warningSentence(warning))}`).join('\n')]),
  ]
  return `${parts.join('\n\n')}\n`
}

function firstFinding({ report }: Presented): string[] {
  const [first] = report.findings
  if (first === undefined) return []
  const lines = [`**First divergence.** ${plain(headline(first))}`]
  for (const [at, divergence] of first.divergences.entries()) {
    const where = payloadPlace(divergence)
    if (at > 0) lines.push(`- ${plain(divergence.message)}`)
    if (where !== null) lines.push(`- differs at ${plain(where)}`)
    const values = payloadValues(divergence)
    if (values !== null) lines.push(`  - expected ${code(values[0])}`, `  - got ${code(values[1])}`)
  }
  const hint = hintFor(first)
  if (hint !== null) lines.push(`- hint: ${plain(hint)}`)
  return [lines.join('\n')]
}

function table({ report }: Presented): string[] {
  if (report.findings.length < 2) return []
  const rows = report.findings.slice(0, MAX_ROWS).map(({ recorded, replayed, divergences }) => {
    const place = recorded ?? replayed
    return `| ${recorded?.seq ?? ''} | ${replayed?.seq ?? ''} | ${place === null ? '' : code(place.summary)} | ${divergences.map(({ category }) => code(category)).join(' ')} |`
  })
  const more = report.findingCount - rows.length
  const head = '| recorded | replay | record | differs in |\n|---|---|---|---|'
  return [[head, ...rows].join('\n'), ...(more > 0 ? [`and ${count(more, 'more finding')}`] : [])]
}

function childList({ children = [] }: Presented): string[] {
  return children.length === 0 ? [] : [children.map((child) => `- ${plain(childLine(child))}`).join('\n')]
}

function categoryTable({ judgement }: Presented): string[] {
  if (judgement.lines.length === 0) return []
  const rows = judgement.lines.map(({ name, found, allowed }) => `| ${code(name)} | ${found} | ${allowed} |`)
  return [['| category | found | allowed |', '|---|---|---|', ...rows].join('\n')]
}

function code(text: string): string {
  return text === '' ? '' : `<code>${plain(text)}</code>`
}

const MAX_CELL = 500

/**
 * Letters, digits, spaces and the marks that mean nothing to Markdown stay; all else is an entity. Addresses
 * are broken up by their colon and dots.
 */
function plain(text: string): string {
  return printable(text, MAX_CELL).replace(/[!-~]/g, (char) =>
    /[A-Za-z0-9,;/="'+-]/.test(char) ? char : `&#${char.charCodeAt(0)};`,
  )
}
