/**
 * What a session knows of files: where its places are, what it leaves alone, which descriptors are its own,
 * and, in a replay, which folder is the current one (no folder need exist there).
 */
import { resolve } from 'node:path'
import { realCwd, realHomedir, realTmpdir } from '../../real/process.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import type { Call, CallParts } from './calls.ts'
import { ignoredPaths } from './ignored-paths.ts'
import { type NamedFile, type Places, type PortablePaths, portablePaths } from './portable-paths.ts'
import { type UnfinishedWrite, writesUnderWay } from './writes-under-way.ts'

export type FilesOptions = {
  /**
   * Where the program's files lie. In a replay first where they lay when recorded, then where they would lie
   * here.
   */
  readonly places: readonly Places[]
  readonly ignore?: readonly string[]
  /** False for a tape that has no files on it: they are then left alone. */
  readonly captured?: boolean
  /** False for a tape from before modes and flags counted. */
  readonly optionsCount?: boolean
  /** False for a tape from before completions of calls that are not on the tape had places. */
  readonly ordersUncaptured?: boolean
}

/** A file that the program has opened, as descriptor calls see it. */
export type OpenedFile = {
  readonly file: NamedFile
  call(name: string, args: readonly unknown[], parts?: CallParts): Call
  readCall(
    name: string,
    args: readonly unknown[],
    views: readonly Uint8Array[],
    position: number | null,
  ): Call
  writeCall(name: string, args: readonly unknown[], bytes: Uint8Array, position?: number | null): Call
  truncateCall(name: string, args: readonly unknown[], length: number): Call
  closeCall(args: readonly unknown[]): Call
  /**
   * A subprocess has it too: what it holds in the end is not the program's doing alone, and a replay does not
   * compare it.
   */
  share(): void
  /** What was written to it, if something was and it is to be compared. */
  unfinished(): UnfinishedWrite | null
}

export type SessionFiles = {
  readonly session: Session
  readonly paths: PortablePaths
  /** Descriptors that the program has opened. */
  readonly open: Map<number, OpenedFile>
  /** Files below `node_modules` that the program has written itself: those are part of its world. */
  readonly written: Set<string>
  /** Whether modes, flags and the like are part of what a call is known by. */
  readonly optionsCount: boolean
  /** Whether asynchronous calls that are not on the tape have their places in the order. */
  readonly ordersUncaptured: boolean
  /** Descriptors of files that are not on the tape. */
  readonly uncaptured: Set<number>
  isIgnored(portable: string): boolean
  cwd(): string
  /** In a replay: makes this folder the current one. */
  enter(folder: string): void
  /** A number for a stretch of bytes that is read in one go. */
  nextStretch(): number
  /** Whether descriptor 0 has been checked. */
  knowsInput: boolean
}

const sessionFiles = sessionField((session) => create(session, { places: [placesHere()] }))

/** Before the session is used. */
export function useFiles(session: Session, options: FilesOptions): void {
  sessionFiles.set(session, create(session, options))
}

export function filesOf(session: Session): SessionFiles {
  return sessionFiles.get(session)
}

/** What the program has written and never heard of: calls that are under way, and files that are open. */
export function unfinishedWrites(session: Session): readonly UnfinishedWrite[] {
  const open = filesOf(session).open.values()
  return [...writesUnderWay(session), ...[...open].flatMap((file) => file.unfinished() ?? [])]
}

export function placesHere(): Places {
  return { roots: [realCwd()], home: realHomedir(), temp: realTmpdir() }
}

function create(
  session: Session,
  { places, ignore = [], captured = true, optionsCount = true, ordersUncaptured = true }: FilesOptions,
): SessionFiles {
  let entered: string | null = null
  let stretches = 0
  return {
    session,
    paths: portablePaths(places),
    open: new Map(),
    written: new Set(),
    knowsInput: false,
    optionsCount,
    ordersUncaptured: captured && ordersUncaptured,
    uncaptured: new Set(),
    isIgnored: captured ? ignoredPaths(ignore) : () => true,
    cwd: () => entered ?? realCwd(),
    enter(folder) {
      entered = resolve(entered ?? realCwd(), folder)
    },
    nextStretch() {
      stretches += 1
      return stretches
    },
  }
}
