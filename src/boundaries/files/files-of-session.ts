/**
 * The file state of a session: its places, what it ignores, which descriptors belong to it, and, in a replay,
 * which folder is current (no folder need exist there).
 */
import { resolve } from 'node:path'
import { realCwd, realHomedir, realTmpdir } from '../../real/process.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { AppendedFiles } from './appended-files.ts'
import type { Call, CallParts } from './calls.ts'
import { ignoredPaths } from './ignored-paths.ts'
import { type NamedFile, type Places, type PortablePaths, portablePaths } from './portable-paths.ts'
import { type UnfinishedWrite, writesUnderWay } from './writes-under-way.ts'

export type FilesOptions = {
  /** Where the program's files are. In a replay first the recorded places, then those of this machine. */
  readonly places: readonly Places[]
  readonly ignore?: readonly string[]
  /** False for a tape without files: they are then not captured. */
  readonly captured?: boolean
  /** False for an older tape without modes and flags. */
  readonly optionsCount?: boolean
  /** False for an older tape without positions for completions of calls that are not on the tape. */
  readonly ordersUncaptured?: boolean
  /** False for an older tape without the positions of reads. */
  readonly positionsCount?: boolean
  /** False for an older tape with the steps of copies to files that are not captured. */
  readonly copiesWhole?: boolean
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
   * A subprocess has it too: its final content is not only the program's, and a replay does not compare it.
   */
  share(): void
  /** What was written to it, if something was and it must be compared. */
  unfinished(): UnfinishedWrite | null
}

export type SessionFiles = {
  readonly session: Session
  readonly paths: PortablePaths
  /** Descriptors that the program has opened. */
  readonly open: Map<number, OpenedFile>
  /** Files below `node_modules` that the program has written itself: those are captured. */
  readonly written: Set<string>
  /** Whether modes, flags and similar options are part of the key of a call. */
  readonly optionsCount: boolean
  /** Whether asynchronous calls that are not on the tape have positions in the order. */
  readonly ordersUncaptured: boolean
  readonly positionsCount: boolean
  /** Whether a copy to a file that is not captured is made outside the session. */
  readonly copiesWhole: boolean
  /** Files that the program appends to. */
  readonly appended: AppendedFiles
  /** Descriptors of files that are not on the tape. */
  readonly uncaptured: Set<number>
  isIgnored(portable: string): boolean
  cwd(): string
  /** In a replay: makes this folder the current one. */
  enter(folder: string): void
  /** A number for a stretch of consecutively read bytes. */
  nextStretch(): number
  /** Whether descriptor 0 has been checked. */
  knowsInput: boolean
}

const sessionFiles = sessionField((session) => create(session, { places: [placesHere()] }))

/** Set it before the session is used. */
export function useFiles(session: Session, options: FilesOptions): void {
  sessionFiles.set(session, create(session, options))
}

export function filesOf(session: Session): SessionFiles {
  return sessionFiles.get(session)
}

/** What the program has written without a reported result: pending calls, and open files. */
export function unfinishedWrites(session: Session): readonly UnfinishedWrite[] {
  const open = filesOf(session).open.values()
  return [...writesUnderWay(session), ...[...open].flatMap((file) => file.unfinished() ?? [])]
}

export function placesHere(): Places {
  return { roots: [realCwd()], home: realHomedir(), temp: realTmpdir() }
}

function create(
  session: Session,
  {
    places,
    ignore = [],
    captured = true,
    optionsCount = true,
    ordersUncaptured = true,
    positionsCount = true,
    copiesWhole = true,
  }: FilesOptions,
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
    positionsCount,
    copiesWhole,
    appended: new AppendedFiles(session),
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
