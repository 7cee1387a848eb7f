/**
 * Work that runs off the main thread and is no input: its result is the same in every run, but its position
 * among other outcomes is not.
 *
 * The work is really done in both modes. The result is held back until its turn at the gate; the tape
 * contains its position, never its value.
 *
 * Decision 0085.
 */
import { type Label, label } from '../base/index.ts'
import { outside } from './context.ts'
import type { Session } from './session.ts'

const OFFTHREAD = label('offthread')

/** Reports that the work is done, and how to deliver it to the program in its turn. */
export type Done = (deliver: () => void) => void

/** Throws the divergence if a replay has no such work left; then nothing may be started. */
export function startHeld(
  session: Session,
  key: string,
  options: { readonly ref?: boolean; readonly boundary?: Label; readonly maxKeyLength?: number } = {},
): Done & { drop(): void } {
  const { boundary = OFFTHREAD, ...rest } = options
  let deliverToProgram: (() => void) | null = null
  const effect = session.start(
    boundary,
    key,
    () => {
      effect.close()
      deliverToProgram?.()
    },
    { real: true, ...rest },
  )
  const done = (deliver: () => void): void => {
    deliverToProgram = deliver
    effect.arrive({ type: 'completion' })
  }
  return Object.assign(done, { drop: () => effect.close() })
}

/** The promise of `begin`, settled in its turn. */
export function heldPromise<T>(
  session: Session,
  key: string,
  begin: () => Promise<T>,
  options: { readonly boundary?: Label } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const done = startHeld(session, key, options)
    outside(begin).then(
      (value) => done(() => resolve(value)),
      (error: unknown) => done(() => reject(error)),
    )
  })
}
