/** Compares the tapes of the children of two tapes, by their names in the tree. */
import type { ComparedChild } from '../fidelity/formats/presented.ts'
import { compareTapes, type FidelityMode, judge } from '../fidelity/index.ts'
import { childTapeNames, childTapes, sealOf } from '../tape/children-folder.ts'
import { damageIn } from '../tape/findings.ts'
import { verifyTape } from '../tape/verify.ts'
import type { TreeReport } from './replay-tree.ts'

type Options = NonNullable<Parameters<typeof compareTapes>[3]>
type Budget = Parameters<typeof judge>[1]

/** One row for each child. Nothing if one of the two tapes has no children at all. */
export async function compareChildren(
  [recorded, replay]: readonly [string, string],
  mode: FidelityMode,
  options: Options,
  budget: Budget,
): Promise<ComparedChild[]> {
  // The tape of a replay has no children: its children were stand-ins.
  if (!namesChildren(recorded) || !namesChildren(replay)) return []
  const [left, right] = [treeOf(recorded), treeOf(replay)]
  const rows: ComparedChild[] = []
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const [one, other] = [left.get(name), right.get(name)]
    if (one === undefined || other === undefined) {
      const message = `only ${one === undefined ? replay : recorded} has its tape`
      rows.push({ name, verdict: 'diverged', message })
    } else rows.push(await compared(name, one, other, mode, options, budget))
  }
  return rows
}

/** The replays of the children of a tape, as rows of a comparison. */
export function replayedChildren({ children, missing }: TreeReport): ComparedChild[] {
  const replayed = children.map(({ tape, report }): ComparedChild => {
    if (report.verdict === 'faithful') return { name: tape, verdict: 'same', message: null }
    const message = report.divergences[0]?.message.split('\n')[0] ?? report.reasons[0] ?? report.verdict
    return { name: tape, verdict: report.verdict, message }
  })
  const gone = missing.map(
    (name): ComparedChild => ({
      name,
      verdict: 'unverified',
      message: 'its tape is missing',
    }),
  )
  return [...replayed, ...gone]
}

async function compared(
  name: string,
  one: string,
  other: string,
  mode: FidelityMode,
  options: Options,
  budget: Budget,
): Promise<ComparedChild> {
  for (const path of [one, other]) {
    const [damage] = damageIn((await verifyTape(path)).findings)
    if (damage !== undefined)
      return { name, verdict: 'unverified', message: `${path} is damaged: ${damage.message}` }
  }
  const report = await compareTapes(one, other, mode, options)
  if (judge(report, budget).passed) return { name, verdict: 'same', message: null }
  const [first] = report.divergences
  const more =
    report.divergenceCount > 1
      ? ` (and ${report.divergenceCount - 1} more: reprise fidelity ${one} ${other})`
      : ''
  const verdict = report.verdict === 'same' ? 'unverified' : report.verdict
  return { name, verdict, message: `${first?.message.split('\n')[0] ?? report.verdict}${more}` }
}

/** Whether its seal names tapes of children, or they are there. */
function namesChildren(tape: string): boolean {
  return childTapeNames(tape).length > 0 || (sealOf(tape)?.children ?? null) !== null
}

function treeOf(tape: string): Map<string, string> {
  return new Map(childTapes(tape).map(({ name, path }) => [name, path]))
}
