/** The verdict of a replay for people, on stderr. A faithful one is a remark of the command, on a terminal. */
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
  for (const line of firstCause(report)) output.note(`  ${line}`)
  // The recorded request in the place of another one is the same difference.
  const others = report.unused.filter(({ seq }) => seq !== report.divergences[0]?.seq)
  const more = report.divergences.length + others.length - 1
  if (more > 0)
    output.note(`  ${more} more follow${more === 1 ? 's' : ''} from this; --report FILE lists all`)
}

/** What came first on the tape. The end of the run has no record: it comes last. */
function firstCause({ divergences, unused }: ReplayReport): readonly string[] {
  const [divergence] = divergences
  const [left] = unused
  const isDivergence =
    divergence !== undefined && (left === undefined || (divergence.seq ?? Infinity) <= left.seq)
  if (isDivergence) return divergence.message.split('\n')
  return left === undefined ? [] : [`unused: #${left.seq} ${left.summary}`]
}
