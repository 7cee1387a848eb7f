/**
 * The source of randomness of a recording: the machine, or a seeded generator that the engine gives the
 * session. A replay uses neither.
 *
 * Everything else (integers in a range, UUIDs) is computed from these two, so that a seed decides all of it.
 */
import { realBytes, realRandom } from '../../real/random-owners.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

export type RandomSource = {
  /** A new array of that many bytes. */
  bytes(size: number): Uint8Array
  /** At least 0, less than 1. */
  double(): number
}

export const realSource: RandomSource = { bytes: realBytes, double: realRandom }

const randomSource = sessionField<RandomSource>(() => realSource)

/** From now on `session` draws from `source`. Without a call it draws from the machine. */
export function useRandomSource(session: Session, source: RandomSource): void {
  randomSource.set(session, source)
}

export function sourceOf(session: Session): RandomSource {
  return randomSource.get(session)
}
