/**
 * What a replay may do differently without being called another run. `fidelity a b` knows none of this: it compares two tapes as they are. A judge of a
 * replay applies these rows to the findings of the mode that was asked for.
 */
import type { Finding } from './divergence.ts'
import type { FidelityMode } from './modes.ts'

export type ReplayTolerance = {
  readonly name: string
  readonly reason: string
  /** Whether it holds when every byte must be equal. */
  readonly inByteIdentical: boolean
  readonly tolerates: (finding: Finding, context: PolicyContext) => boolean
}

type PolicyContext = {
  /** Calls that were made a little earlier or later. */
  readonly moved: ReadonlySet<Finding>
  /** Names of request headers that count. */
  readonly headers: readonly string[]
}

/** Kinds that are written where the program makes a call. */
const CALLS: ReadonlySet<string> = new Set(['effect_start', 'fs_call', 'file_read', 'file_write', 'file_delete', 'process_spawn'])
const REMARKS: ReadonlySet<string> = new Set(['gap', 'note', 'file_state'])
const READS: ReadonlySet<string> = new Set(['clock_read', 'random_read'])

export const replayPolicy: readonly ReplayTolerance[] = [
  {
    name: 'clock and random reads',
    reason: 'reads that only one run makes are counted; the session reports them as a sum where they count',
    inByteIdentical: true,
    tolerates: (finding) => isAlone(finding) && READS.has(kindOf(finding)),
  },
  {
    name: 'environment reads',
    reason: 'a variable that is read more or less often has the same value',
    inByteIdentical: false,
    tolerates: (finding) => isAlone(finding) && kindOf(finding) === 'env_read',
  },
  {
    name: 'remarks',
    reason: 'what a recorder remarks is no input; gaps and notes have their own place in the verdict',
    inByteIdentical: true,
    tolerates: (finding) => isAlone(finding) && REMARKS.has(kindOf(finding)),
  },
  {
    name: 'moved calls',
    reason: 'a module that takes longer to load moves a call among the calls of its turn',
    inByteIdentical: false,
    tolerates: (finding, { moved }) => moved.has(finding),
  },
  {
    name: 'request headers',
    reason: 'headers are not part of the match key, unless match.headers names them',
    inByteIdentical: false,
    tolerates: ({ divergences }, { headers }) =>
      headers.length === 0 && divergences.length > 0 && divergences.every(({ category }) => category === 'http_exchange_request_headers'),
  },
]

export type Judged = {
  /** What counts against the replay. */
  readonly findings: readonly Finding[]
  /** How many findings each row of the policy tolerated. */
  readonly tolerated: { readonly [name: string]: number }
}

export function applyReplayPolicy(findings: readonly Finding[], mode: FidelityMode, headers: readonly string[] = []): Judged {
  const rows = replayPolicy.filter(({ inByteIdentical }) => inByteIdentical || mode !== 'byte_identical')
  const context = { moved: movedOf(findings), headers }
  const tolerated: { [name: string]: number } = {}
  const kept = findings.filter((finding) => {
    const row = rows.find(({ tolerates }) => tolerates(finding, context))
    if (row !== undefined) tolerated[row.name] = (tolerated[row.name] ?? 0) + 1
    return row === undefined
  })
  return { findings: kept, tolerated }
}

function isAlone({ recorded, replayed }: Finding): boolean {
  return (recorded === null) !== (replayed === null)
}

function kindOf({ recorded, replayed }: Finding): string {
  return (recorded ?? replayed)?.kind ?? ''
}

/** Pairs of findings in which the program made the same call at another place. */
function movedOf(findings: readonly Finding[]): Set<Finding> {
  const missing = new Map<string, Finding[]>()
  const moved = new Set<Finding>()
  const nameOf = (finding: Finding): string => `${kindOf(finding)} ${(finding.recorded ?? finding.replayed)?.summary}`
  for (const finding of findings) {
    if (finding.recorded === null || finding.replayed !== null || !CALLS.has(kindOf(finding))) continue
    missing.set(nameOf(finding), [...(missing.get(nameOf(finding)) ?? []), finding])
  }
  for (const finding of findings) {
    if (finding.recorded !== null || !CALLS.has(kindOf(finding))) continue
    const other = missing.get(nameOf(finding))?.shift()
    if (other === undefined) continue
    moved.add(finding)
    moved.add(other)
  }
  return moved
}
