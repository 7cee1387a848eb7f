/**
 * A Node child of a recorded program is recorded too, on its own tape. The session's owner decides how: it
 * returns the environment in which the child records itself. The program sees none of it.
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
  /** What only the child may know; null for nothing. It is sent over a separate pipe. */
  readonly secrets: Uint8Array | null
  /** Called when the child has ended. */
  result(): { readonly tape: string | null; readonly missing: string | null }
}

/** `pipe` is the descriptor that `secrets` would have in the child; null where it can have no pipe. */
export type RecordChild = (child: StartedNode, pipe: number | null) => RecordedChild | null

const recorders = sessionField<RecordChild>(() => () => null)

/** Set it before the session is used. */
export function useRecordedChildren(session: Session, recordChild: RecordChild): void {
  recorders.set(session, recordChild)
}

const PROCESS = label('process')

/** Returns the name of the tape when the child has ended; a Node child without one gets a note. */
type OwnTape = { ownTape(): string | null }

export type TapedChild = OwnTape & {
  readonly envPairs: readonly string[]
  readonly secrets: Uint8Array | null
}

/** Null for a child that is started exactly as the program requests. */
export function tapedChild(session: Session, call: SpawnCall): TapedChild | null {
  const { file, args, cwd } = call
  const child = { file, args, cwd, env: envOf(call.envPairs) }
  const recorded = recorders.get(session)(child, call.stdio.length)
  if (recorded === null) return null
  return { envPairs: pairsOf(recorded.env), secrets: recorded.secrets, ...ownTapeOf(session, recorded) }
}

export type TapedTerminal = OwnTape & { readonly env: Readonly<Record<string, string>> }

/** A child in a terminal, or a thread that starts children: it has no pipe of ours. */
export function tapedWithoutPipe(session: Session, child: StartedNode): TapedTerminal | null {
  const recorded = recorders.get(session)(child, null)
  return recorded === null ? null : { env: recorded.env, ...ownTapeOf(session, recorded) }
}

function ownTapeOf(session: Session, recorded: RecordedChild): OwnTape {
  return {
    ownTape() {
      const { tape, missing } = recorded.result()
      if (tape === null && missing !== null) session.note(PROCESS, missing)
      return tape
    },
  }
}
