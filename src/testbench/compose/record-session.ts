/**
 * A session that records: outcomes are real, or come first from an older tape that is being updated.
 */
import type { NetworkPolicy } from '../../boundaries/network/policy.ts'
import type { Session } from '../../boundaries/session.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import { callFamily } from '../calls/call-family.ts'
import type { MatchRules } from '../keys/request-key.ts'
import type { Crossings } from '../records/completeness.ts'
import { createSession } from '../session/create-session.ts'
import { answersSource, type OlderTape } from '../sources/answers-source.ts'
import { firstOf } from '../sources/first-of.ts'
import { type WorldSource, worldSource } from '../sources/world-source.ts'
import { effectFamilies } from './families.ts'

export type RecordOptions = {
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  readonly match?: MatchRules
  readonly network?: NetworkPolicy
  /** A request whose key is on this tape is answered from it; any other is sent. */
  readonly older?: OlderTape
  /** The tape; cassettes of terminals are written next to it. Without a tape there are none. */
  readonly tape?: string
  /** Called when nothing but timers is pending: a paused clock may then advance. */
  readonly onQuiet?: () => void
}

export type RecordSession = {
  readonly session: Session
  /** Whether something other than a timer may still reach the program. */
  isBusy(): boolean
  /** Boundaries that were crossed unrecorded, or that refused something. */
  readonly crossings: Crossings
  /** Nothing more is recorded; pending calls continue as if nothing were being recorded. */
  end(): void
}

export function createRecordSession(options: RecordOptions): RecordSession {
  const { recorder, scrubber, match = {}, network, older, tape, onQuiet } = options
  let world: WorldSource | null = null
  const { session, crossings, end } = createSession({
    recorder,
    scrubber,
    families: effectFamilies(match),
    calls: callFamily,
    source(kernel) {
      world = worldSource(kernel, onQuiet)
      return older === undefined ? world : firstOf(answersSource(kernel, older), world)
    },
    ...(older === undefined ? {} : { tape: older.tools, mayServe: true }),
    ...(tape === undefined ? {} : { out: tape }),
    ...(network === undefined ? {} : { network }),
  })
  return { session, crossings, end, isBusy: () => world?.isBusy() === true }
}
