/**
 * A recording with all its parts: its tape, its clock, its files, its policy, its session, and how they end.
 * The branch of `openSession` for sessions with real outcomes.
 */
import { useClockDriver } from '../../boundaries/clock/index.ts'
import { createPausedClock } from '../../boundaries/clock/paused-clock.ts'
import { useFileAccess } from '../../boundaries/files/file-access.ts'
import { useFiles } from '../../boundaries/files/files-of-session.ts'
import { denyNetwork } from '../../boundaries/network/policy.ts'
import { useRandomSource } from '../../boundaries/random/index.ts'
import { seededSource } from '../../boundaries/random/seeded.ts'
import type { Session } from '../../boundaries/session.ts'
import type { Scrubbed, Scrubber } from '../../scrub/index.ts'
import { createStreamingRecorder, type HeaderFacts, type SealFacts, TapeWriter } from '../../tape/index.ts'
import { createDiscardingRecorder } from '../../tape/recorder.ts'
import { nameHeader } from '../../tape/root-names.ts'
import { createRunPhase } from '../../tape/run-phase.ts'
import { createScrubbedHeader } from '../../tape/scrubbed-header.ts'
import { createFileAccess, type FileAccessOptions, type RecordedFileAccess } from '../files/file-access.ts'
import { filesToRecord, headerPlaces, namedPlaces, type RecordedFiles, rootsOf } from '../files/places.ts'
import { recordUnfinished } from '../files/unfinished-writes.ts'
import type { MatchRules } from '../keys/request-key.ts'
import type { Crossings } from '../records/completeness.ts'
import { olderTape } from '../sources/answers-source.ts'
import { createRecordSession } from './record-session.ts'

export type RecordingOptions = {
  readonly from: 'world'
  /** Null: nothing is written. The session only provides a paused clock, a seed, a denied network. */
  readonly tape: string | null
  /** Replaces an existing tape. */
  readonly force?: boolean | undefined
  /**
   * What the header contains about the program and its boundaries. The start of the clock and the places are
   * added.
   */
  readonly header: Omit<HeaderFacts, 'startedAtUnixMs' | 'roots' | 'home' | 'temp' | 'ignore'>
  readonly match?: MatchRules | undefined
  /** A request whose key is on this older tape is answered from it; any other is sent. */
  readonly older?: string | undefined
  /** The clock is paused, and starts at this time. */
  readonly paused?: { readonly startAtMs?: number } | null
  readonly seed?: string | null | undefined
  /** The only hosts that may be reached. Null: all. */
  readonly allowHosts?: readonly string[] | null
  /** Null: the session does not capture files. */
  readonly files?: RecordedFiles | null | undefined
}

export type Recording = Disposable & {
  readonly session: Session
  readonly scrubber: Scrubber
  /** The program's own part of the run is over. */
  finalize(): void
  /** Writes what is left, and seals the tape. `seal` is called when nothing more is recorded. */
  close(seal: (crossings: Crossings) => Scrubbed<SealFacts>): void
  /** Nothing more is recorded. Without `close` the tape has no seal. */
  end(): void
}

export function openRecording(options: RecordingOptions, scrubber: Scrubber): Recording {
  const { tape, match, seed = null, allowHosts = null } = options
  const older = options.older === undefined ? null : olderTape(options.older, scrubber)
  const files = filesToRecord(options.files ?? {})
  const paused = pausedClock(options, () => recording.isBusy())
  const places = namedPlaces(files)
  const header = nameHeader(
    { ...options.header, startedAtUnixMs: paused?.wallMs() ?? null, ...headerPlaces(files) },
    places,
  )
  const writer = tape === null ? null : openTape(tape, header, scrubber, options.force === true)
  const phase = createRunPhase()
  const clock = paused === null ? undefined : { now: paused.wallMs, monotonicMs: paused.monotonicMs }
  const recorder =
    writer === null ? createDiscardingRecorder(clock) : createStreamingRecorder(writer, clock, phase.current)
  const recording = createRecordSession({
    recorder,
    scrubber,
    ...(paused === null ? {} : { onQuiet: paused.wake }),
    ...(allowHosts === null ? {} : { network: denyNetwork(allowHosts) }),
    ...(older === null ? {} : { older }),
    ...(tape === null ? {} : { tape }),
    ...(match === undefined ? {} : { match }),
  })
  const { session } = recording
  const access = fileAccess(options.files, { roots: rootsOf(files), tape: tape ?? '', recorder, scrubber })
  useFiles(session, files)
  if (access !== null) useFileAccess(session, access)
  if (paused !== null) useClockDriver(session, paused)
  if (seed !== null) useRandomSource(session, seededSource(seed))
  return {
    session,
    scrubber,
    finalize: phase.finalize,
    close(seal) {
      recordUnfinished(session, recorder, scrubber)
      recording.end()
      access?.end()
      writer?.close({ ...seal(recording.crossings), places: scrubber.value(places, 'sent', 'seal') })
    },
    end: recording.end,
    [Symbol.dispose]() {
      recording.end()
      writer?.[Symbol.dispose]()
    },
  }
}

function openTape(path: string, facts: HeaderFacts, scrubber: Scrubber, force: boolean): TapeWriter {
  return TapeWriter.open(path, createScrubbedHeader(facts, scrubber), { force })
}

function pausedClock({ paused = null }: RecordingOptions, isBusy: () => boolean) {
  return paused === null ? null : createPausedClock({ ...paused, isBusy })
}

function fileAccess(
  files: RecordedFiles | null | undefined,
  options: Omit<FileAccessOptions, 'source'>,
): RecordedFileAccess | null {
  return files === null ? null : createFileAccess({ ...options, source: files?.source ?? 'real' })
}
