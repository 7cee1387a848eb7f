/** Where values come from while a process is recorded. */
import type { RecordedFiles } from '../files/places.ts'

export type RecordSources = {
  readonly clock?: 'real' | 'paused'
  /** UNIX milliseconds at which a paused clock starts. */
  readonly startAt?: number
  readonly seed?: string
  readonly network?: 'real' | 'deny'
  readonly allowHosts?: readonly string[]
  readonly files?: RecordedFiles
  /** Native addons that the user allows. */
  readonly addons?: readonly string[]
  /** Whether Node children have their own tapes; `on` by default. */
  readonly children?: 'on' | 'off'
}
