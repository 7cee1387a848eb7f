/** The parts of a session that leaves its tape on purpose: its stage, its clock, its facts, its source. */
import { isObject, parseJson } from '../../base/index.ts'
import { useClockDriver } from '../../boundaries/clock/index.ts'
import type { Session } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import { realEnv } from '../../real/process.ts'
import { VARIABLE_PLACEHOLDER } from '../../scrub/key-forms.ts'
import type { RecordKind, TapeClock, TapeRecorder } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import type { Crossings } from '../records/completeness.ts'
import type { RecordPlace } from '../session/delivery.ts'
import type { TravelHooks } from '../session/session-options.ts'
import type { Kernel, OpenEffect } from '../session/source.ts'
import type { ServedClock } from '../sources/second-recording.ts'
import type { TapeSource } from '../sources/tape-source-contract.ts'
import { type Travel, type TravelFacts, travel } from '../sources/travel.ts'
import { createTravelClock } from '../sources/travel-clock.ts'
import type { Stage, TravelState } from '../sources/travel-state.ts'
import { worldSource } from '../sources/world-source.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import type { TravelEvents, TravelOptions } from './replay-contract.ts'

export type TravelSession = {
  readonly state: TravelState
  readonly hooks: TravelHooks
  /** The clock of the records. */
  readonly clock: TapeClock
  recorder(second: TapeRecorder, inner: TapeRecorder): TapeRecorder
  source(kernel: Kernel, tape: TapeSource, nextSeq: () => number | null): TapeSource
  reached(place: RecordPlace): void
  isOfRun(kind: RecordKind): boolean
  /** Before the session is used. */
  use(session: Session): void
  events(crossings: Crossings): TravelEvents
}

export type TravelParts = {
  readonly path: string
  readonly index: TapeIndex
  readonly served: ServedClock
  readonly payloads: TapePayloads
  readonly onLive: () => void
}

const MOST_KEPT = 1000

export function createTravelSession({ plan, env }: TravelOptions, parts: TravelParts): TravelSession {
  const state: { stage: Stage; readonly takenOver: Set<OpenEffect> } = { stage: 'tape', takenOver: new Set() }
  const refused: Divergence[] = []
  const nearest: { readonly asked: string; readonly seq: number }[] = []
  const lacking = new Set<string>()
  let wake = (): void => undefined
  let current: Travel | null = null
  const clock = createTravelClock(state, parts.served, () => wake())
  return {
    state,
    clock: { now: clock.driver.wallMs, monotonicMs: clock.nowMs },
    hooks: {
      mayDiffer: () => state.stage !== 'tape',
      isLive: () => state.stage === 'live',
      refused(divergence) {
        if (refused.length < MOST_KEPT) refused.push(divergence)
      },
    },
    recorder: (second, inner) => ({
      ...second,
      record: (kind, scrubbed) => (state.stage === 'live' ? inner : second).record(kind, scrubbed),
      recordGrowing: (kind, first) => (state.stage === 'live' ? inner : second).recordGrowing(kind, first),
    }),
    source(kernel, tape, nextSeq) {
      wake = () => kernel.gate.wake()
      current = travel(tape, worldSource(kernel), {
        plan,
        state,
        clock,
        path: parts.path,
        payloads: parts.payloads,
        nextSeq,
        facts: travelFacts(parts.index, { mayGoLive: plan.live.size > 0, env, lacking, state }),
        isServer: parts.index.isServer,
        wake,
        onLive: parts.onLive,
        usedNearest: (asked, seq) => void (nearest.length < MOST_KEPT && nearest.push({ asked, seq })),
      })
      return current.source
    },
    reached: (place) => current?.reached(place),
    // States of files are of the recorded run; so are all remarks after the moment at which a run goes live.
    isOfRun: ({ kind }) => state.stage === 'tape' || (state.stage === 'edited' && kind !== 'file_state'),
    use: (session) => useClockDriver(session, clock.driver),
    events: (crossings) => ({ stage: state.stage, refused, nearest, lacking: [...lacking], crossings }),
  }
}

/**
 * A run that may go live needs its keys: a variable whose value was a secret has the value of this
 * environment. On the tape it is a placeholder again.
 */
function travelFacts(
  index: TapeIndex,
  {
    mayGoLive,
    env,
    lacking,
    state,
  }: {
    readonly mayGoLive: boolean
    readonly env: Readonly<Record<string, string>>
    readonly lacking: Set<string>
    readonly state: TravelState
  },
): TravelFacts {
  const secret = (name: string, value: string): string => {
    if (!mayGoLive || VARIABLE_PLACEHOLDER.exec(value)?.[1] !== name) return value
    const here = env[name] ?? realEnv[name]
    if (here === undefined) lacking.add(name)
    return here ?? value
  }
  const one = (name: string, value: string | null): string | null => {
    if (state.stage === 'live' && Object.hasOwn(env, name)) return env[name] ?? null
    return value === null ? null : secret(name, value)
  }
  return {
    isKnown: index.hasFact,
    resolved(api, name, value) {
      if (api !== 'process.env') return value
      if (name !== '*' || value === null) return one(name, value)
      const values = parseJson(value)
      if (!isObject(values)) return value
      const resolved = Object.entries(values).map(([key, text]) => [key, one(key, String(text))] as const)
      return JSON.stringify({ ...Object.fromEntries(resolved), ...(state.stage === 'live' ? env : {}) })
    },
  }
}
