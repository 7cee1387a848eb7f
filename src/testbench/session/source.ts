/**
 * Where outcomes come from: the only part of a session that differs between recording, replaying, updating
 * and forking.
 */
import type { AsyncResource } from 'node:async_hooks'
import type { Label } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/child-contract.ts'
import type { Gate, LoginState } from '../../boundaries/gate.ts'
import type { Answer, ClockValue, EffectOptions, Outcome, Sent } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { ScrubbedText } from '../../scrub/index.ts'
import type { Delivery, GivenAnswer, Recorded } from './delivery.ts'
import type { CallFamily, Description, EffectCode, EffectStart, Origin, Tools } from './family.ts'

export type Source = {
  /** Whether an effect of this boundary that starts now, and that no tape has, is performed. */
  isLive(boundary: Label): boolean
  /** Whether this effect is performed when it starts. Without it, `isLive` of its boundary decides. */
  startsLive?(start: EffectStart, description: Description): boolean
  readClock(read: ClockRead, perform: () => ClockValue): Given<ClockValue>
  readRandom(read: RandomRead, perform: () => Uint8Array): Given<Uint8Array>
  /** `given`: what the program gets, if it is not what is recorded. */
  readFact(read: FactRead, perform: () => string | null): Given<string | null> & { readonly given?: string }
  /** A call that returns at once. Throws the divergence; null if the call is refused as a part of the run. */
  answer(call: Call, perform: () => Answer): GivenAnswer | null
  /** Which source serves the effect; null if none can. */
  start(start: EffectStart, description: Description): Origin | null
  /** The effect that `start` was called for is open. */
  opened?(effect: OpenEffect, origin: Origin): void
  /** The world has an outcome for an effect, or real work in a replay is done. */
  arrive(effect: OpenEffect, outcome: Outcome): void
  closed(effect: OpenEffect): void
  /** Forgets what waits for the effect. */
  dropWaiting?(effect: OpenEffect): void
  /** What the next turn delivers. */
  next(): Turn
  /** The program has had everything of the turn, or threw. */
  afterTurn?(): void
  /**
   * How the program is refused what no source has, if that is part of the run and no divergence: `ends` ends
   * the run there.
   */
  refusing?(): 'refuse' | 'ends' | null
  /** The divergence for an effect that no source serves. */
  missOf(start: EffectStart, description: Description): Divergence
}

type ClockRead = { readonly api: Label; readonly source: 'wall' | 'monotonic' }
type RandomRead = { readonly api: Label; readonly size: number | undefined }
type FactRead = { readonly api: Label; readonly name: string }

/** A value, and its record if it comes from a tape. */
export type Given<T> = { readonly value: T; readonly recorded?: Recorded }

type Call = {
  readonly boundary: Label
  readonly key: string
  /** Match keys, best first. */
  readonly keys: () => readonly [ScrubbedText, ...ScrubbedText[]]
  readonly sent: Sent | undefined
  readonly child: ChildStart | undefined
}

/** `more`: nothing yet, ask again in the next turn. `idle`: wait until something is woken. */
export type Turn = 'more' | 'idle' | { readonly effect: OpenEffect; readonly next: () => Delivery | null }

/** What a source needs of the kernel. */
export type Kernel = {
  readonly tools: Tools
  readonly calls: CallFamily
  readonly gate: Gate
  readonly open: ReadonlySet<OpenEffect>
}

/** An effect that the program has started. */
export type OpenEffect = {
  readonly id: number
  readonly start: EffectStart
  readonly options: EffectOptions
  readonly key: string
  readonly code: EffectCode
  readonly receive: (outcome: Outcome) => void
  /** The async context of the program that started it. */
  readonly resource: AsyncResource
  /** The cause of the turn that started it. */
  readonly cause: LoginState | null
  closed: boolean
  /** Whether it keeps the process alive. */
  ref: boolean
  /** Of an effect whose work is done for real in a replay too. */
  work: 'none' | 'under way' | 'done'
  /** What the program would wait for without end. */
  waitsFor: 'answer' | 'timer' | null
  hasAnswer: boolean
}
