/**
 * How a replayed process passes its result to `reprise replay`, which waits for it in another process: the
 * report, or the error that prevented it.
 */
import { fromSystemError, isRepriseError, RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import type { ReplayReport } from '../verdict/verdict.ts'
import type { TravelReport } from './travel-settings.ts'

type Failure = Pick<RepriseError, 'code' | 'message' | 'details' | 'hint'>
export type ProgramResult = { readonly report: ReplayReport; readonly travel: TravelReport | null }
type ReplayResult = ProgramResult | { readonly failure: Failure }

/** Creates the empty file before the program runs: only one process of a command can be the replayed one. */
export function claimResult(path: string): void {
  try {
    fs.writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw fromSystemError(error, 'write', path)
  }
}

/** Writes the report that `make` returns, or its error. An error that is not ours is thrown. */
export function writeResult(
  path: string,
  make: () => ReplayReport,
  travelled: () => TravelReport | null = () => null,
): void {
  fs.writeFileSync(path, JSON.stringify(resultOf(make, travelled)), { mode: 0o600 })
}

/** The report in the file, or null if the replay ended without one. Throws the error that prevented it. */
export function readResult(path: string): ProgramResult | null {
  const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : ''
  if (text === '') return null
  const result: ReplayResult = JSON.parse(text)
  if ('report' in result) return result
  const { code, message, details, hint } = result.failure
  throw new RepriseError(code, message, { details, ...(hint === null ? {} : { hint }) })
}

function resultOf(make: () => ReplayReport, travelled: () => TravelReport | null): ReplayResult {
  try {
    const report = make()
    return { report, travel: travelled() }
  } catch (error) {
    if (!isRepriseError(error)) throw error
    const { code, message, details, hint } = error
    return { failure: { code, message, details, hint } }
  }
}
