/**
 * How far a run has left its tape. `tape`: not at all. `edited`: it was given something else, so it may do
 * something else; what it asks for still comes from the tape. `live`: it goes on in the world.
 */
import type { OpenEffect } from '../session/source.ts'

export type Stage = 'tape' | 'edited' | 'live'

export type TravelState = {
  readonly stage: Stage
  /** Effects whose outcomes no longer come from the tape. */
  readonly takenOver?: { has(effect: OpenEffect): boolean }
}
