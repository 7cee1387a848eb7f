/** The verdict of a replay for people, on stderr. A faithful one is silent. */
import type { ReplayReport } from '../testbench/index.ts'
import type { Output } from './output.ts'
import type { TreeReport } from './replay-tree.ts'

/** The children that are not faithful, each with its tape. */
export function printTree(output: Output, { children, missing }: TreeReport): void {
  for (const { tape, report } of children) printVerdict(output, report, `child ${tape}: `)
  for (const name of missing) output.note(`child ${name}: its tape is missing`, 'bad')
}

export function printVerdict(output: Output, report: ReplayReport, prefix = ''): void {
  if (report.verdict === 'faithful') return
  output.note(
    `${prefix}replay ${report.verdict}: ${report.divergences.length} divergence(s), ${report.unused.length} unused record(s)`,
    'bad',
  )
  for (const reason of report.reasons) output.note(`  ${reason}`)
  for (const { message } of report.divergences.slice(0, 5))
    for (const line of message.split('\n')) output.note(`  ${line}`)
  if (report.divergences.length > 5) output.note(`  and ${report.divergences.length - 5} more`)
  for (const { seq, summary } of report.unused.slice(0, 5)) output.note(`  unused: #${seq} ${summary}`)
}
