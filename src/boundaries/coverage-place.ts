/** One place of the table of what is captured: see coverage.ts. */
import type { CrossingName } from './names.ts'

export type Place = {
  /** Where the names are: a global object, a module, a prototype. */
  readonly place: string
  readonly captured: Readonly<Partial<Record<CrossingName, string>>>
  readonly notCaptured: Readonly<Record<string, string>>
  readonly pure: string
}
