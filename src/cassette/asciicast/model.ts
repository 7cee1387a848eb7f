/** An asciicast in memory, whatever its version: times are milliseconds from the start. */
import { RepriseError } from '../../errors/index.ts'
import type { Size } from '../codec/records.ts'

export type CastEvent = { readonly tMs: number } & (
  | { readonly kind: 'output' | 'input' | 'marker'; readonly text: string }
  | { readonly kind: 'resize'; readonly size: Size }
  | { readonly kind: 'exit'; readonly code: number }
)

export type Cast = {
  readonly size: Size
  readonly term: string
  /** Seconds since 1970, or null. */
  readonly timestamp: number | null
  readonly title: string
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly events: readonly CastEvent[]
}

export function invalidCast(line: number, reason: string): RepriseError {
  return new RepriseError('asciicast-invalid', `asciicast line ${line}: ${reason}`, {
    details: { line },
    hint: 'asciicast of version 2 or 3 is read',
  })
}
