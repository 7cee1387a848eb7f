/**
 * Replays the tapes of a program's children, each alone: stdin, messages and signals of a child are on its tape. A
 * child that cannot be replayed is `unverified`, with the reason. What a child prints is not printed again: its
 * parent printed it, if it was seen at all.
 */
import { isRepriseError } from '../errors/index.ts'
import { childTapes } from '../tape/children-folder.ts'
import { verifyTree } from '../tape/verify-tree.ts'
import type { ReplayReport } from '../testbench/index.ts'
import { type ReplayRequest, replayProgram } from './replay-program.ts'

export type TreeReport = ReplayReport & {
  /** The worst of all. */
  readonly tree_verdict: ReplayReport['verdict']
  readonly children: readonly ChildReport[]
  /** Tapes that another tape of the tree names and that are not there. */
  readonly missing: readonly string[]
}

type ChildReport = { readonly tape: string; readonly report: ReplayReport }

type Options = Pick<ReplayRequest, 'trust' | 'mode' | 'speed' | 'strict' | 'addons'>

/** `own` is the report on the tape itself. */
export async function replayChildren(tape: string, own: ReplayReport, options: Options): Promise<TreeReport> {
  const children: ChildReport[] = []
  for (const { path, name } of childTapes(tape))
    children.push({ tape: name, report: await replayChild(path, options) })
  const { findings, children: verified } = await verifyTree(tape)
  const all = [...findings, ...verified.flatMap((child) => child.findings)]
  const missing = all.flatMap(({ code, message }) =>
    code === 'child-missing' ? [message.replace(/^.*: /, '')] : [],
  )
  const changed = verified.filter((child) => child.findings.some(({ code }) => code === 'child-changed'))
  const judged = children.map((child) =>
    changed.some(({ name }) => name === child.tape) ? { ...child, report: asChanged(child.report) } : child,
  )
  const reports = [own, ...judged.map(({ report }) => report)]
  return {
    ...own,
    tree_verdict: missing.length > 0 ? worst(reports, 'unverified') : worst(reports),
    children: judged,
    missing,
  }
}

async function replayChild(tape: string, options: Options): Promise<ReplayReport> {
  try {
    const { report } = await replayProgram({
      ...options,
      tape,
      command: [],
      stdin: 'ignore',
      stdout: 'ignore',
    })
    return report
  } catch (error) {
    if (!isRepriseError(error)) throw error
    return { ...NOT_REPLAYED, reasons: [`it was not replayed: ${error.message} [${error.code}]`] }
  }
}

const NOT_REPLAYED: ReplayReport = {
  verdict: 'unverified',
  foreign: false,
  sealed: false,
  divergences: [],
  unused: [],
  gaps: [],
  notes: [],
  scrubbed_inputs: 0,
  records: 0,
  exit_code: null,
  recorded_ms: 0,
  replay_ms: 0,
  reasons: [],
  clock_reads: { extra: 0, missing: 0 },
}

function asChanged(report: ReplayReport): ReplayReport {
  const reasons = [...report.reasons, 'the tape is not the one that the seal of its parent names']
  return { ...report, verdict: report.verdict === 'faithful' ? 'unverified' : report.verdict, reasons }
}

function worst(
  reports: readonly ReplayReport[],
  atLeast: ReplayReport['verdict'] = 'faithful',
): ReplayReport['verdict'] {
  const verdicts = [atLeast, ...reports.map(({ verdict }) => verdict)]
  if (verdicts.includes('diverged')) return 'diverged'
  return verdicts.includes('unverified') ? 'unverified' : 'faithful'
}
