/**
 * Replays the tapes of a program's children, each alone: stdin, messages and signals of a child are on its tape. A
 * child that cannot be replayed is `unverified`, with the reason. What a child prints is not printed again: its
 * parent printed it, if it was seen at all.
 */
import { isRepriseError } from '../errors/index.ts'
import { childTapes } from '../tape/children-folder.ts'
import { readHeader } from '../tape/reader.ts'
import { verifyTree } from '../tape/verify-tree.ts'
import type { ReplayReport } from '../testbench/index.ts'
import { movingRoot } from '../testbench/keys/spawn-key.ts'
import { recordedProgram } from './program-folder.ts'
import { type ReplayRequest, replayProgram } from './replay-program.ts'

export type TreeReport = ReplayReport & {
  /** The worst of all. */
  readonly tree_verdict: ReplayReport['verdict']
  readonly children: readonly ChildReport[]
  /** Tapes that another tape of the tree names and that are not there. */
  readonly missing: readonly string[]
}

type ChildReport = { readonly tape: string; readonly report: ReplayReport }

type Options = Pick<ReplayRequest, 'trust' | 'mode' | 'speed' | 'strict' | 'addons' | 'moved'>

/** Whether the tape is of a part of a process, which only its own code replays, and has tapes of children. */
export function isPartWithChildren(tape: string): boolean {
  const { program, producer } = readHeader(tape)
  return program === undefined && producer !== undefined && childTapes(tape).length > 0
}

/**
 * `own` is the report on the tape itself; null for a part of a process. Then it is `unverified`, and the verdict
 * on the tree is that on the children.
 */
export async function replayChildren(
  tape: string,
  replayed: ReplayReport | null,
  options: Options,
): Promise<TreeReport> {
  const own = replayed ?? { ...NOT_REPLAYED, reasons: [PART] }
  const children: ChildReport[] = []
  const { folder, recorded } = recordedProgram(tape)
  // A child runs where it ran, seen from the program.
  const moved = movingRoot(recorded.root ?? folder, folder)
  for (const { path, name } of childTapes(tape))
    children.push({ tape: name, report: await replayChild(path, { ...options, moved }) })
  const { findings, children: verified } = await verifyTree(tape)
  const all = [...findings, ...verified.flatMap((child) => child.findings)]
  const missing = all.flatMap(({ code, message }) =>
    code === 'child-missing' ? [message.replace(/^.*: /, '')] : [],
  )
  const changed = verified.filter((child) => child.findings.some(({ code }) => code === 'child-changed'))
  const judged = children.map((child) =>
    changed.some(({ name }) => name === child.tape) ? { ...child, report: asChanged(child.report) } : child,
  )
  const reports = [...(replayed === null ? [] : [own]), ...judged.map(({ report }) => report)]
  return {
    ...own,
    tree_verdict: missing.length > 0 ? worst(reports, 'unverified') : worst(reports),
    children: judged,
    missing,
  }
}

const PART = 'the tape is of a part of a process: replay() of the library, or its test, replays it'

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
