/** The last line of `reprise record`: what is on the tape, and how to replay it. */
import { shellWord } from '../base/index.ts'
import type { RunSummary } from '../tape/run-summary.ts'

const MAX_GAPS = 3

/** `path` as the user gave it; `needsTrust` if the tape has a command that is not run unasked. */
export function summaryLine(path: string, summary: RunSummary, needsTrust: boolean): string {
  const { records, modelCalls, children, terminals = 0, sealed } = summary
  const parts = [
    count(records, 'record'),
    count(modelCalls, 'model call'),
    count(children, 'child', 'children') + tapesOf(summary),
    ...(terminals === 0 ? [] : [count(terminals, 'terminal')]),
    gapsOf(summary.gaps),
    ...(sealed ? [] : ['no seal']),
  ]
  const flags = `${needsTrust ? ' --trust' : ''}${(summary.childTapes ?? []).length > 0 ? ' --tree' : ''}`
  return `recorded ${path}: ${parts.join(', ')}${callsElsewhere(path, summary)}; replay it: reprise replay ${shellWord(path)}${flags}`
}

function tapesOf({ childTapes = [], unrecorded = [] }: RunSummary): string {
  const facts = [
    ...(childTapes.length === 0 ? [] : [`${count(childTapes.length, 'tape')} in the tree`]),
    ...(unrecorded.length === 0 ? [] : [`${unrecorded.length} of Node without a tape: ${unrecorded[0]}`]),
  ]
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`
}

/** A tape without model calls may be that of a program whose children make them. */
function callsElsewhere(
  path: string,
  { modelCalls, children, terminals = 0, childTapes = [] }: RunSummary,
): string {
  if (modelCalls > 0 || children + terminals === 0) return ''
  const makers = childTapes.filter(({ model_calls: calls }) => calls > 0)
  const [first] = makers
  if (first === undefined)
    return childTapes.length < children + terminals ? '; model calls of children are not on it' : ''
  const calls = makers.reduce((sum, { model_calls: each }) => sum + each, 0)
  const where = `${path}.children/${first.name}${makers.length === 1 ? '' : ` and ${makers.length - 1} more`}`
  return `; it has no model call, its children made ${calls}: ${where}`
}

function gapsOf(gaps: RunSummary['gaps']): string {
  if (gaps.length === 0) return 'no gaps'
  const listed = gaps.slice(0, MAX_GAPS).map(({ boundary, reason }) => `${boundary}: ${reason}`)
  const more = gaps.length > MAX_GAPS ? [`and ${gaps.length - MAX_GAPS} more, see reprise inspect`] : []
  return `${count(gaps.length, 'gap')} (${[...listed, ...more].join('; ')})`
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
