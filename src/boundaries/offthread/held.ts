/**
 * Work that runs beside the main thread and is no input: its result is the same in every run, only its place among other outcomes is not.
 *
 * It is done for real in both modes. The result is held back until the gate gives it its turn; the tape has its place, never its value.
 */
import { label } from '../../base/index.ts'
import { outside } from '../context.ts'
import type { Session } from '../session.ts'

const OFFTHREAD = label('offthread')

/** Says that the work is done, and how the program is told of it when its turn comes. */
export type Done = (tell: () => void) => void

/** Throws the divergence when a replay has no such work left; then nothing may be started. */
export function startHeld(session: Session, key: string, options: { readonly ref?: boolean } = {}): Done & { drop(): void } {
  let tellProgram: (() => void) | null = null
  const effect = session.start(
    OFFTHREAD,
    key,
    () => {
      effect.close()
      tellProgram?.()
    },
    { real: true, ...options },
  )
  const done = (tell: () => void): void => {
    tellProgram = tell
    effect.arrive({ type: 'completion' })
  }
  return Object.assign(done, { drop: () => effect.close() })
}

/** The promise of `begin`, settled in its turn. */
export function heldPromise<T>(session: Session, key: string, begin: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const done = startHeld(session, key)
    outside(begin).then(
      (value) => done(() => resolve(value)),
      (error: unknown) => done(() => reject(error)),
    )
  })
}
