/**
 * The one place that composes a session. The command line, `register`, `record`, `replay`, `testbench` and
 * the runners call it; they add their patches, and provide the contents of the header and the seal.
 *
 * Decision 0280.
 */
import { useFreshDispatchers } from '../../boundaries/network/fresh-dispatcher.ts'
import { separatePool } from '../../boundaries/network/pools.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber, type ScrubOptions } from '../../scrub/index.ts'
import { openRecording, type Recording, type RecordingOptions } from './open-recording.ts'
import { openReplaying, type Replaying, type ReplayingOptions } from './open-replaying.ts'

type CommonOptions = {
  readonly scrub?: Pick<ScrubOptions, 'rules'> | undefined
  /** Values that are known as secrets from the beginning. */
  readonly known?: readonly { readonly kind: string; readonly value: string }[]
  /** The session is active for part of a process: connections that it opens are not shared. */
  readonly isPart?: boolean
}

export function openSession(options: RecordingOptions & CommonOptions): Recording
export function openSession(options: ReplayingOptions & CommonOptions): Replaying
export function openSession(
  options: (RecordingOptions | ReplayingOptions) & CommonOptions,
): Recording | Replaying {
  const scrubber = createScrubber({ env: { ...realEnv }, ...options.scrub })
  for (const { kind, value } of options.known ?? []) scrubber.learn(kind, value)
  const opened =
    options.from === 'world' ? openRecording(options, scrubber) : openReplaying(options, scrubber)
  if (options.isPart === true) {
    separatePool(opened.session)
    useFreshDispatchers(opened.session)
  }
  return opened
}
