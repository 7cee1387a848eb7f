/** Compares the tapes of the children of two tapes, by their names in the tree. */
import { compareTapes, type FidelityMode, judge } from '../fidelity/index.ts'
import { childTapeNames, childTapes, sealOf } from '../tape/children-folder.ts'
import { damageIn } from '../tape/findings.ts'
import { verifyTape } from '../tape/verify.ts'

type Options = NonNullable<Parameters<typeof compareTapes>[3]>
type Budget = Parameters<typeof judge>[1]

/**
 * One line for each child that differs, is damaged, or is on one side only. Nothing if one of the two tapes has no
 * children at all.
 */
export async function compareChildren(
  [recorded, replay]: readonly [string, string],
  mode: FidelityMode,
  options: Options,
  budget: Budget,
): Promise<string[]> {
  // The tape of a replay has no children: its children were stand-ins.
  if (!namesChildren(recorded) || !namesChildren(replay)) return []
  const [left, right] = [treeOf(recorded), treeOf(replay)]
  const lines: string[] = []
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const [one, other] = [left.get(name), right.get(name)]
    if (one === undefined || other === undefined)
      lines.push(`child ${name}: only ${one === undefined ? replay : recorded} has its tape`)
    else lines.push(...(await difference(name, one, other, mode, options, budget)))
  }
  return lines
}

async function difference(
  name: string,
  one: string,
  other: string,
  mode: FidelityMode,
  options: Options,
  budget: Budget,
): Promise<string[]> {
  const lines: string[] = []
  for (const path of [one, other]) {
    const [damage] = damageIn((await verifyTape(path)).findings)
    if (damage !== undefined) lines.push(`child ${name}: ${path} is damaged: ${damage.message}`)
  }
  if (lines.length > 0) return lines
  const report = await compareTapes(one, other, mode, options)
  if (judge(report, budget).passed) return []
  const [first] = report.divergences
  const more =
    report.divergenceCount > 1
      ? ` (and ${report.divergenceCount - 1} more: reprise fidelity ${one} ${other})`
      : ''
  return [`child ${name}: ${first?.message.split('\n')[0] ?? report.verdict}${more}`]
}

/** Whether its seal names tapes of children, or they are there. */
function namesChildren(tape: string): boolean {
  return childTapeNames(tape).length > 0 || (sealOf(tape)?.children ?? null) !== null
}

function treeOf(tape: string): Map<string, string> {
  return new Map(childTapes(tape).map(({ name, path }) => [name, path]))
}
