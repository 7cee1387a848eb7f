/** What a session is made of, and what its owner gets. */
import type { NetworkPolicy } from '../../boundaries/network/policy.ts'
import type { Session } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { Crossings } from '../records/completeness.ts'
import type { CallFamily, EffectFamily, TapeTools, Tools } from './family.ts'
import type { Kernel, Source } from './source.ts'
import type { SessionWatch } from './watch.ts'

export type SessionOptions = {
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  readonly families: readonly EffectFamily[]
  readonly calls: (tools: Tools) => CallFamily
  readonly source: (kernel: Kernel) => Source
  readonly tape?: TapeTools
  /** The tape being written; cassettes are stored next to it. */
  readonly out?: string
  /** Which hosts may be reached; without it all. */
  readonly network?: NetworkPolicy
  readonly mayServe?: boolean
  /** A refusal that ends the run: the process ends here, if it can. */
  readonly endRun?: () => void
  readonly watch?: Pick<SessionWatch, 'diverged' | 'isEvaluating'>
  /** A run that leaves its tape on purpose. */
  readonly travel?: TravelHooks
}

export type TravelHooks = {
  /** Whether what the program sends may differ from the tape. */
  readonly mayDiffer: () => boolean
  /** Whether outcomes of effects that the tape serves may come from the world. */
  readonly isLive: () => boolean
  /** The program was refused something. */
  readonly refused: (divergence: Divergence) => void
}

export type OpenSession = {
  readonly session: Session
  readonly tools: Tools
  readonly divergences: readonly Divergence[]
  readonly crossings: Crossings
  /** What was recorded and did not happen again. */
  leftovers(): readonly Divergence[]
  /** Writes what the program has seen and the scrubber holds back: a replay needs it. */
  close(): void
  /** Nothing more is recorded; what is still under way goes on as if nothing were being recorded. */
  end(): void
}
