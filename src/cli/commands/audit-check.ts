/**
 * `reprise audit check <file>`: do the kernel events carry their categories? A judging command: exits 2 with
 * the list.
 */
import type { CategoryFinding } from '../../journal/events/required-categories.ts'
import { type Command, flagOption, jsonOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { oneOf } from './audit.ts'
import { damageNotes, sentence } from './audit-damage.ts'
import { unknownValueNotes } from './audit-unknown.ts'

export const auditCheck: Command = {
  name: 'audit check',
  arguments: '<file>',
  help: 'check that kernel events carry their category',
  options: [
    {
      flags: '--level <level>',
      help: 'base, the default: as the Rust SDK checks; strict: as the Node and Python SDKs check',
    },
    jsonOption,
  ],
  async run(input) {
    const { auditLabel, oneLog } = await import('../../journal/audit-place.ts')
    const path = oneLog(input.arguments[0] ?? '')
    const label = auditLabel(path)
    const level = oneOf(input, 'level', ['base', 'strict']) ?? 'base'
    const [{ openAuditInput }, { createCategoryCheck }] = await Promise.all([
      import('../../journal/audit-input.ts'),
      import('../../journal/events/required-categories.ts'),
    ])
    const notes = damageNotes(input.output)
    const unknown = unknownValueNotes(input.output, label)
    const check = createCategoryCheck(level)
    const seqs: number[] = []
    let whole = 0
    const { entries } = await openAuditInput(path, notes.listen)
    for await (const batch of entries) {
      for (const entry of batch) {
        const { seq, event } = entry
        unknown.add(entry)
        const before = check.count()
        check.add(event)
        for (let added = before; added < check.count(); added += 1) seqs.push(seq)
      }
      whole += batch.length
    }
    notes.finish(label, whole)
    unknown.finish()
    const report = check.report()
    const findings = report.findings.map((finding, index) => ({
      seq: seqs[index] ?? finding.index,
      ...withoutIndex(finding),
    }))
    const damaged = notes.found.listed.map((damage) => ({
      line: damage.line,
      reason: damage.reason,
      message: sentence(damage),
    }))
    const ok = report.ok && notes.found.count === 0
    if (flagOption(input, 'json'))
      input.output.json({
        ok,
        level,
        events: whole,
        checked: report.checked,
        findings,
        damaged,
        damaged_lines: notes.found.count,
        unknown_values: unknown.found(),
      })
    else {
      if (report.withoutAny) input.output.line(withoutAny(report.checked))
      else
        for (const finding of findings)
          input.output.line(`seq ${finding.seq} ${finding.kind}: ${finding.field} ${problem(finding)}`)
      input.output.line(
        `${label}: ${whole} events, ${report.checked} checked at level ${level}, ${findings.length} findings, ${notes.found.count} damaged lines`,
      )
    }
    return ok ? EXIT.fine : EXIT.finding
  },
}

function withoutAny(checked: number): string {
  return `none of the ${checked} kernel events carries a category: DeepStrike 0.2.37 and newer writes none (--json lists the events)`
}

function withoutIndex({ index: _index, ...finding }: CategoryFinding): Omit<CategoryFinding, 'index'> {
  return finding
}

function problem({ problem, expected, actual }: Omit<CategoryFinding, 'index'>): string {
  return problem === 'missing' ? `is missing (${expected})` : `is ${actual}, expected ${expected}`
}
