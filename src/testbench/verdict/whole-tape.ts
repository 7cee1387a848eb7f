/** A run can be no more faithful than its tape is whole: lines, hashes, payloads and seal are checked as `reprise verify` does. */
import { RepriseError } from '../../errors/index.ts'
import { damageIn, type Finding } from '../../tape/findings.ts'
import { verifyTape } from '../../tape/verify.ts'
import type { ReplayReport } from './verdict.ts'

/** The report, with what speaks against the bytes of the tape. That its end is missing is in the report already. */
export async function onWholeTape(report: ReplayReport, tape: string): Promise<ReplayReport> {
  const reason = reasonOf(damageIn((await verifyTape(tape)).findings))
  if (reason === null) return report
  return { ...report, verdict: report.verdict === 'faithful' ? 'unverified' : report.verdict, reasons: [...report.reasons, reason] }
}

/** Refuses a tape that is not whole before anything is run from it. */
export async function refuseUnlessWhole(tape: string): Promise<void> {
  const { findings } = await verifyTape(tape)
  const cut = findings.filter(({ code }) => code === 'unsealed' || code === 'torn')
  const reason = reasonOf([...damageIn(findings), ...cut])
  if (reason === null) return
  throw new RepriseError('tape-not-whole', `${tape} cannot be replayed: ${reason}`, {
    details: { path: tape },
    hint: 'record again; `reprise verify` shows all of it, and `reprise replay` runs what there is',
  })
}

function reasonOf(wrong: readonly Finding[]): string | null {
  const [first] = wrong
  if (first === undefined) return null
  return `the tape is not whole: ${first.message}${wrong.length > 1 ? ` (and ${wrong.length - 1} more: reprise verify)` : ''}`
}
