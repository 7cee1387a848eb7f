/**
 * What the fidelity oracle says of a replay, beside what the session itself kept: the tape of this run against the recorded one, in the mode that was
 * asked for. A finding that the session has told already is not told twice.
 *
 * A faithful run writes the very bytes of the recorded one between header and seal; then there is nothing to align.
 */
import { compareTapes, type Finding } from '../../fidelity/index.ts'
import { fs } from '../../real/fs.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'
import type { ReplayMode, ReplayReport } from './verdict.ts'

/** Findings beyond these are counted in the last one. */
const MAX_TOLD = 100

export async function judgedByOracle(report: ReplayReport, recorded: string, emitted: string, mode: ReplayMode): Promise<ReplayReport> {
  if (sameRecords(recorded, emitted)) return report
  const { findings, findingCount, score } = await compareTapes(recorded, emitted, mode)
  const news = newFindings(findings, report, mode)
  if (news.length === 0) return report
  // What the session kept says it better: what follows from it would only bury it. And where something crossed unseen nothing can be held against a run.
  if (report.divergences.length > 0 || report.unused.length > 0 || report.gaps.length > 0)
    return { ...report, fidelity: { findings: findingCount, score } }
  const told = news.slice(0, MAX_TOLD).flatMap(divergencesOf)
  const more = news.length - MAX_TOLD
  const last = more > 0 ? [{ ...NO_PLACE, category: 'more_findings', message: `and ${more} more place(s) where the runs differ` }] : []
  return { ...report, verdict: 'diverged', divergences: [...told, ...last], fidelity: { findings: findingCount, score } }
}

const NO_PLACE = { seq: null, expected: null, actual: null, path: null } as const

/** Findings that the session has not told. Pure. */
export function newFindings(findings: readonly Finding[], report: ReplayReport, mode: ReplayMode): Finding[] {
  const known = new Set([...report.divergences, ...report.unused].flatMap(({ seq }) => seq ?? []))
  const tolerant = mode !== 'byte_identical'
  const moved = tolerant ? movedOf(findings) : new Set<Finding>()
  return findings.filter((finding) => {
    const { recorded, replayed, divergences } = finding
    // How the run ended is told from the seal.
    if (recorded === null && replayed === null) return divergences.some(({ category }) => !category.startsWith('run_'))
    const alone = recorded === null || replayed === null
    const kind = recorded?.kind ?? replayed?.kind
    // Too many and too few reads are counted by the session: of the clock they are forgiven, or told as a sum.
    if (alone && (kind === 'clock_read' || kind === 'random_read')) return false
    if (alone && tolerant && kind === 'env_read') return false
    if (alone && REMARKS.has(kind ?? '')) return false
    if (moved.has(finding)) return false
    return recorded === null ? !isTold(report, finding) : !known.has(recorded.seq)
  })
}

/** What a recorder remarks of itself: no input, and nothing that the program asked for. Gaps and notes are in the verdict by themselves. */
const REMARKS = new Set(['gap', 'note', 'file_state'])

/** Kinds that stand where the program asked: those of calls that are answered at once, too. */
const ASKED = new Set(['effect_start', 'fs_call', 'file_read', 'file_write', 'file_delete', 'process_spawn'])

/** The program asked for the same thing, a little earlier or later among its other requests: a module took its time to load. */
function movedOf(findings: readonly Finding[]): Set<Finding> {
  const missing = new Map<string, Finding[]>()
  const moved = new Set<Finding>()
  const nameOf = ({ recorded, replayed }: Finding): string => `${recorded?.kind ?? replayed?.kind} ${recorded?.summary ?? replayed?.summary}`
  const isAsked = ({ recorded, replayed }: Finding): boolean => ASKED.has((recorded ?? replayed)?.kind ?? '')
  for (const finding of findings) {
    if (finding.recorded === null || finding.replayed !== null || !isAsked(finding)) continue
    missing.set(nameOf(finding), [...(missing.get(nameOf(finding)) ?? []), finding])
  }
  for (const finding of findings) {
    if (finding.recorded !== null || !isAsked(finding)) continue
    const other = missing.get(nameOf(finding))?.shift()
    if (other === undefined) continue
    moved.add(finding)
    moved.add(other)
  }
  return moved
}

/** What the program asked for in vain stands on the tape of this run, and was told when it asked. */
function isTold(report: ReplayReport, { replayed }: Finding): boolean {
  return replayed?.kind === 'effect_start' && report.divergences.some(({ category }) => category === 'unmatched')
}

function divergencesOf(finding: Finding): ReplayDivergence[] {
  return finding.divergences.map(({ seq, category, message, expected, actual, path }) => ({
    seq,
    category,
    message,
    expected: printedValue(expected),
    actual: printedValue(actual),
    path,
  }))
}

function printedValue(value: unknown): string | null {
  return value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)
}

const BLOCK = 1 << 20

/** True if both files hold the same bytes from the end of their first line to the start of their last. */
function sameRecords(recorded: string, emitted: string): boolean {
  const [left, right] = [bodyOf(recorded), bodyOf(emitted)]
  try {
    if (!left.sealed || !right.sealed || left.end - left.start !== right.end - right.start) return false
    const [a, b] = [Buffer.allocUnsafe(BLOCK), Buffer.allocUnsafe(BLOCK)]
    for (let at = 0; at < left.end - left.start; at += BLOCK) {
      const size = Math.min(BLOCK, left.end - left.start - at)
      const same = fs.readSync(left.fd, a, 0, size, left.start + at) === size && fs.readSync(right.fd, b, 0, size, right.start + at) === size
      if (!same || a.compare(b, 0, size, 0, size) !== 0) return false
    }
    return true
  } finally {
    fs.closeSync(left.fd)
    fs.closeSync(right.fd)
  }
}

/** A first or last line that is longer than a block is not looked for: then the tapes are compared record by record. */
function bodyOf(path: string): { readonly fd: number; readonly start: number; readonly end: number; readonly sealed: boolean } {
  const fd = fs.openSync(path, 'r')
  const { size } = fs.fstatSync(fd)
  const block = Buffer.allocUnsafe(Math.min(BLOCK, size))
  const head = block.subarray(0, fs.readSync(fd, block, 0, block.byteLength, 0))
  const start = head.indexOf(10) + 1
  const tail = block.subarray(0, fs.readSync(fd, block, 0, block.byteLength, Math.max(0, size - block.byteLength)))
  const last = tail.lastIndexOf(10, tail.byteLength - 2) + 1
  const sealed = start > 0 && last > 0 && tail.subarray(last).includes('"kind":"tape_seal"')
  return { fd, start, end: size - tail.byteLength + last, sealed }
}
