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
  /** Native addons that the user vouches for. */
  readonly addons?: readonly string[]
  /** Whether Node children have tapes of their own; `on` unless set otherwise. */
  readonly children?: 'on' | 'off'
}
