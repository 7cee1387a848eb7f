/**
 * A Node child of a recorded program is recorded too, on a tape of its own. The session's owner decides how: it
 * gives the environment in which the child records itself. Nothing of it is visible to the program.
 *
 * Decision 0315.
 */
import { label } from '../../base/index.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { envOf, pairsOf, type StartedNode } from './launched-child.ts'
import type { SpawnCall } from './spawn-call.ts'

export type RecordedChild = {
  readonly env: Readonly<Record<string, string>>
  /** What the child must know and nobody else may see; null for nothing. It goes over a pipe of its own. */
  readonly secrets: Uint8Array | null
  /** When the child has ended. */
  result(): { readonly tape: string | null; readonly missing: string | null }
}

/** `pipe` is the descriptor that `secrets` would have in the child. */
export type RecordChild = (child: StartedNode, pipe: number) => RecordedChild | null

const recorders = sessionField<RecordChild>(() => () => null)

/** Before the session is used. */
export function useRecordedChildren(session: Session, recordChild: RecordChild): void {
  recorders.set(session, recordChild)
}

const PROCESS = label('process')

export type TapedChild = {
  readonly envPairs: readonly string[]
  readonly secrets: Uint8Array | null
  /** Gives the name of the tape; a Node child without one is noted. */
  ownTape(): string | null
}

/** Null for a child that is started as the program asks. */
export function tapedChild(session: Session, call: SpawnCall): TapedChild | null {
  const { file, args, cwd } = call
  const child = { file, args, cwd, env: envOf(call.envPairs) }
  const recorded = recorders.get(session)(child, call.stdio.length)
  if (recorded === null) return null
  return {
    envPairs: pairsOf(recorded.env),
    secrets: recorded.secrets,
    ownTape() {
      const { tape, missing } = recorded.result()
      if (tape === null && missing !== null) session.note(PROCESS, missing)
      return tape
    },
  }
}
