/**
 * A team's allowance for known differences: so many of a category, no more. What is not named is not allowed.
 * Decides whether a comparison passes, never what the report shows.
 */
import { RepriseError } from '../errors/index.ts'
import { isBudgetable } from './categories.ts'
import type { FidelityReport } from './report.ts'
import { cut } from './spelling.ts'
import { isUnproven } from './warnings.ts'

export type Budget = ReadonlyMap<string, number>

export type BudgetLine = { readonly name: string; readonly found: number; readonly allowed: number }

export type Judgement = {
  readonly passed: boolean
  /** Everything that was found or allowed, by name. */
  readonly lines: readonly BudgetLine[]
}

/**
 * From `category=N` entries. A name that no divergence can have is refused: a typo must not look like a
 * budget.
 */
export function parseBudget(entries: readonly string[]): Budget {
  const budget = new Map<string, number>()
  for (const entry of entries) {
    const match = /^([a-z_]+)=(\d{1,9})$/.exec(entry)
    if (match === null) throw refused(`--budget takes category=N, not ${JSON.stringify(cut(entry, 100))}`)
    const [, name = '', allowed = '0'] = match
    if (!isBudgetable(name)) throw refused(`--budget: there is no category ${name}`)
    if (budget.has(name)) throw refused(`--budget names ${name} twice`)
    budget.set(name, Number(allowed))
  }
  return budget
}

export function judge(report: FidelityReport, budget: Budget = new Map()): Judgement {
  const found = new Map<string, number>([...Object.entries(report.categories), ...unproven(report)])
  const names = [...new Set([...found.keys(), ...budget.keys()])].sort()
  const lines = names.map((name) => ({ name, found: found.get(name) ?? 0, allowed: budget.get(name) ?? 0 }))
  return { passed: lines.every((line) => line.found <= line.allowed), lines }
}

/** How often each reason occurs; of gaps, the tape with more of them counts. */
function unproven(report: FidelityReport): Map<string, number> {
  const found = new Map<string, number>()
  for (const warning of report.warnings) {
    if (!isUnproven(warning)) continue
    const before = found.get(warning.code) ?? 0
    found.set(warning.code, warning.code === 'gap' ? Math.max(before, warning.count) : before + 1)
  }
  return found
}

function refused(message: string): RepriseError {
  return new RepriseError('usage', message, { hint: 'the categories are listed in docs/guides/fidelity.md' })
}
