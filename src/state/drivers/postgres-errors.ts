/** Maps errors of Postgres and its client to ours. Pure. */
import { RepriseError, systemCode } from '../../errors/index.ts'

/** Another transaction came between: serialisation failure, deadlock, or both inserted the same row. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01', '23505'].includes(systemCode(error) ?? '')
}

export function unavailable(cause: unknown): RepriseError {
  return new RepriseError(
    'state-driver-unavailable',
    'agent_state: the postgres driver needs the package pg',
    { cause, hint: 'npm install pg' },
  )
}

export function databaseError(error: unknown, place: string): unknown {
  if (error instanceof RepriseError) return error
  const code = systemCode(error)
  // Not from Postgres or the network: an error of the caller's own work inside a transaction.
  if (code === undefined && !isConnectionError(error)) return error
  const reason = error instanceof Error && error.message !== '' ? error.message : (code ?? 'no connection')
  const details = { place, code: code ?? null }
  if (isRetryable(error)) {
    return new RepriseError('state-locked', `agent_state: ${place}: other writers were always faster`, {
      details,
      cause: error,
      hint: 'try again',
    })
  }
  return new RepriseError('state-database', `agent_state: ${place}: ${reason}`, {
    details,
    cause: error,
    hint: hintFor(code),
  })
}

function hintFor(code: string | undefined): string {
  if (code === '28P01' || code === '28000') return 'check user and password'
  if (code === '42501') return 'the user may not create or use the tables reprise_state_*'
  if (code === '3D000') return 'create the database first'
  if (code === '53100') return 'the disk of the server is full'
  return 'check that the server runs and the URL is right'
}

function isConnectionError(error: unknown): boolean {
  return error instanceof Error && /connection|timeout|SSL|certificate/i.test(error.message)
}
