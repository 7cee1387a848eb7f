/** A run can be no more faithful than its tape is whole: lines, hashes, payloads and seal are checked as `reprise verify` does. */
import { RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { damageIn, type Finding } from '../../tape/findings.ts'
import { casReferences, readTapeEvents } from '../../tape/index.ts'
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

/** A tape that was taken along without the folder of its payloads is refused at once: sooner or later a replay would need one of them. */
export function refuseWithoutPayloads(tape: string): void {
  const folder = `${tape}.cas`
  if (fs.existsSync(folder)) return
  for (const event of readTapeEvents(tape)) {
    if (event.type !== 'record' || casReferences(event.record.kind).length === 0) continue
    throw new RepriseError('cas-missing', `the folder with the payloads of ${tape} is not there`, {
      details: { path: tape, folder },
      hint: `put ${folder} back beside the tape`,
    })
  }
}

function reasonOf(wrong: readonly Finding[]): string | null {
  const [first] = wrong
  if (first === undefined) return null
  return `the tape is not whole: ${first.message}${wrong.length > 1 ? ` (and ${wrong.length - 1} more: reprise verify)` : ''}`
}
