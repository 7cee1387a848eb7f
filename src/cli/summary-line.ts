/** The last line of `reprise record`: what is on the tape, and how to replay it. */
import type { RunSummary } from '../tape/run-summary.ts'

const MAX_GAPS = 3

/** `path` as the user gave it; `needsTrust` if the tape has a command that is not run unasked. */
export function summaryLine(path: string, summary: RunSummary, needsTrust: boolean): string {
  const { records, modelCalls, children, sealed } = summary
  const parts = [
    count(records, 'record'),
    count(modelCalls, 'model call'),
    count(children, 'child', 'children'),
    gapsOf(summary.gaps),
    ...(sealed ? [] : ['no seal']),
  ]
  const unseen = modelCalls === 0 && children > 0 ? '; model calls of children are not on it' : ''
  return `recorded ${path}: ${parts.join(', ')}${unseen}; replay it: reprise replay ${shellWord(path)}${needsTrust ? ' --trust' : ''}`
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

function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
