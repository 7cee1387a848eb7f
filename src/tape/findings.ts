/**
 * What a judging command finds wrong in a tape. Plain data; `fault` decides the exit code, `note` does
 * not.
 */
export type FindingCode =
  | 'torn'
  | 'damage'
  | 'seq-repeat'
  | 'seq-jump'
  | 'payload-hash'
  | 'cas-missing'
  | 'cas-mismatch'
  | 'cas-name'
  | 'cassette-missing'
  | 'cassette-damaged'
  | 'cassette-stray'
  | 'child-missing'
  | 'child-changed'
  | 'gap'
  | 'unsealed'
  | 'unsealed-foreign'
  | 'seal-count'
  | 'seal-chain'
  | 'signature-bad'
  | 'signature-missing'
  | 'signature-other-key'
  | 'leak'

export type Finding = {
  readonly code: FindingCode
  readonly severity: 'fault' | 'note'
  readonly line: number | null
  readonly seq: number | null
  readonly message: string
}

/**
 * More than this many are counted, not listed: a hostile tape must not fill the memory with findings about
 * it.
 */
const MAX_FINDINGS = 1000

export type FindingList = {
  readonly findings: readonly Finding[]
  /** Findings beyond the listed ones. */
  readonly more: number
  readonly ok: boolean
  add(finding: Finding): void
}

export function createFindingList(): FindingList {
  const findings: Finding[] = []
  let more = 0
  let ok = true
  return {
    findings,
    get more() {
      return more
    },
    get ok() {
      return ok
    },
    add(finding) {
      if (finding.severity === 'fault') ok = false
      if (findings.length < MAX_FINDINGS) findings.push(finding)
      else more += 1
    },
  }
}

/** Findings that speak against the bytes of the tape, not of what the run left out or of how it ended. */
const NO_DAMAGE: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'gap',
  'unsealed',
  'unsealed-foreign',
  'torn',
])

export function damageIn(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code, severity }) => severity === 'fault' && !NO_DAMAGE.has(code))
}
