/**
 * The folder in which real subprocesses of a session start, if it is not the folder that the program gave: a
 * fork with a sandbox has its files in another folder. The tape contains the program's folder.
 */
import type { Session } from './session.ts'
import { sessionField } from './session-field.ts'

/** What is started: its folder, null for that of the program, and its arguments. */
type Started = { readonly cwd: string | null; readonly args: readonly string[] }

const folders = sessionField<((started: Started) => string) | null>(() => null)

/** `place` returns the folder for a subprocess, and puts the files that it needs there. */
export function useChildFolder(session: Session, place: (started: Started) => string): void {
  folders.set(session, place)
}

/** Null if it starts in the folder that the program gave. */
export function childFolder(session: Session, started: Started): string | null {
  return folders.get(session)?.(started) ?? null
}
