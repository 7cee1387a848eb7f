/**
 * The one error class. `code` is stable and listed in docs/errors.md, `details` are facts for programs,
 * `hint` is the next step for a person.
 *
 * Branded with a registered symbol, because two copies of this package may be loaded in one process: use
 * `isRepriseError`, not `instanceof`.
 */
import type { ErrorCode } from './codes.ts'

const brand = Symbol.for('reprise.error')

export type ErrorFacts = {
  readonly details?: Readonly<Record<string, unknown>>
  readonly hint?: string
  readonly cause?: unknown
}

export class RepriseError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>
  readonly hint: string | null
  readonly [brand] = true

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'RepriseError'
    this.code = code
    this.details = facts.details ?? {}
    this.hint = facts.hint ?? null
  }
}

export function isRepriseError(error: unknown): error is RepriseError {
  return typeof error === 'object' && error !== null && brand in error
}
