/**
 * A run can be no more faithful than its tape is whole: lines, hashes, payloads and seal are checked as
 * `reprise verify` does.
 */
import { RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { damageIn, type Finding } from '../../tape/findings.ts'
import type { ReplayReport } from './verdict.ts'

/** The report, with the problems of the tape's bytes. A missing end is in the report already. */
export function withDamage(report: ReplayReport, findings: readonly Finding[]): ReplayReport {
  const reason = reasonOf(damageIn(findings))
  if (reason === null) return report
  return {
    ...report,
    verdict: report.verdict === 'faithful' ? 'unverified' : report.verdict,
    reasons: [...report.reasons, reason],
  }
}

/** Throws for a tape that is not whole before anything is run from it. */
export function refuseUnlessWhole(tape: string, findings: readonly Finding[]): void {
  const cut = findings.filter(({ code }) => code === 'unsealed' || code === 'torn')
  // A record of a foreign tape whose payload is missing is refused by name when it is reached.
  const isForeign = findings.some(({ code }) => code === 'unsealed-foreign')
  const damage = damageIn(findings).filter(({ code }) => !isForeign || code !== 'cas-missing')
  const reason = reasonOf([...damage, ...cut])
  if (reason === null) return
  throw new RepriseError('tape-not-whole', `${tape} cannot be replayed: ${reason}`, {
    details: { path: tape },
    hint: 'record again; `reprise verify` shows all of it, and `reprise replay` runs what there is',
  })
}

/**
 * Throws for a damaged tape before a run leaves it. A tape without an end is used as far as it goes: its run
 * was killed.
 */
export function refuseDamaged(tape: string, findings: readonly Finding[]): void {
  const reason = reasonOf(damageIn(findings))
  if (reason === null) return
  throw new RepriseError('tape-not-whole', `nothing was started from ${tape}: ${reason}`, {
    details: { path: tape },
    hint: '`reprise verify` shows all of it, and `reprise repair` keeps what is readable',
  })
}

/**
 * A tape that was moved without the folder of its payloads is refused at once: a replay would need one of
 * them sooner or later.
 */
export function refuseWithoutPayloads(tape: string, findings: readonly Finding[]): void {
  const folder = `${tape}.cas`
  if (!findings.some(({ code }) => code === 'cas-missing') || fs.existsSync(folder)) return
  throw new RepriseError('cas-missing', `the folder with the payloads of ${tape} is not there`, {
    details: { path: tape, folder },
    hint: `put ${folder} back next to the tape`,
  })
}

function reasonOf(wrong: readonly Finding[]): string | null {
  const [first] = wrong
  if (first === undefined) return null
  return `the tape is not whole: ${first.message}${wrong.length > 1 ? ` (and ${wrong.length - 1} more: reprise verify)` : ''}`
}
