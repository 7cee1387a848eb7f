/** One place of the coverage table: see coverage.ts. */
import type { CrossingName } from './names.ts'

/** Names in each cell are separated by blanks. */
export type Place = {
  /**
   * Where the names are: a global object, a module, an object or a class of a module, and with `#` the
   * prototype of a class.
   */
  readonly place: string
  readonly captured?: Readonly<Partial<Record<CrossingName, string>>>
  /** Refused in a replay, and a gap in a recording, by refusal/refused-calls.ts. */
  readonly refused?: Readonly<Partial<Record<CrossingName, string>>>
  /** The same, done by code of the boundary, which lets harmless uses pass. */
  readonly guarded?: Readonly<Partial<Record<CrossingName, string>>>
  /** Reaches nothing outside the process; by reason. */
  readonly harmless?: Readonly<Record<string, string>>
  /**
   * Reaches nothing outside the process, but receives something that a replay cannot reproduce; by name, with
   * what it is.
   */
  readonly notCaptured?: Readonly<Record<string, string>>
  /** Receives nothing and reaches nothing outside the process. */
  readonly pure?: string
}
