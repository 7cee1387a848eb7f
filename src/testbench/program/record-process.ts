/**
 * Records this whole process onto a tape, from before its first line to its end. Called by `reprise/register`.
 *
 * The first process that gets here and is no wrapper claims the tape by creating it; its children find it there and are left alone.
 */
import { label } from '../../base/index.ts'
import { useClockWorld } from '../../boundaries/clock/index.ts'
import { createPausedWorld, DEFAULT_START_MS } from '../../boundaries/clock/paused-world.ts'
import { useFiles } from '../../boundaries/files/files-of-session.ts'
import { useFilesWorld } from '../../boundaries/files/world.ts'
import { denyNetwork, openNetwork } from '../../boundaries/network/policy.ts'
import { addonPatch } from '../../boundaries/process/addons.ts'
import { useRandomSource } from '../../boundaries/random/index.ts'
import { seededSource } from '../../boundaries/random/seeded.ts'
import { isRepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { realLocale, realTimeZone } from '../../real/locality.ts'
import { realCwd, realEnv } from '../../real/process.ts'
import { realProcess, startedAs } from '../../real/program.ts'
import { createScrubber, type Scrubbed, type Scrubber } from '../../scrub/index.ts'
import { createStreamingRecorder, type HeaderFacts, type SealFacts, type TapeHeader, TapeWriter } from '../../tape/index.ts'
import { createScrubbedHeader } from '../../tape/scrubbed-header.ts'
import { createRecordSession } from '../compose/record-session.ts'
import { createFilesWorld } from '../files/files-world.ts'
import { filesToRecord, headerPlaces, type RecordedFiles, rootsOf } from '../files/places.ts'
import { recordUnfinished } from '../files/unfinished-writes.ts'
import { capturedBoundaries, installForProcess } from '../install/process-boundaries.ts'
import { completenessOf } from '../records/completeness.ts'
import { createOutputTap, tapDescriptors } from './output-tap.ts'
import { exitOf, onProcessEnd, type ProcessEnd } from './process-end.ts'
import { programOf } from './program-facts.ts'
import { type ProgramModules, startedModules } from './started-modules.ts'

export type RecordProcessOptions = {
  readonly tape: string
  /** The command as the user typed it. */
  readonly command: readonly string[]
  readonly sources: RecordSources
  /** Packages that load modules for the program. */
  readonly loaders: readonly string[]
}

/** Where values come from while recording. */
export type RecordSources = {
  readonly clock?: 'real' | 'paused'
  /** UNIX milliseconds at which a paused clock starts. */
  readonly startAt?: number
  readonly seed?: string
  readonly network?: 'real' | 'deny'
  readonly allowHosts?: readonly string[]
  readonly files?: RecordedFiles
}

export function recordProcess(options: RecordProcessOptions): void {
  // A child of the program that is being recorded: most often it is told from here.
  if (fs.existsSync(options.tape)) return
  const scrubber = createScrubber({ env: { ...realEnv } })
  const modules = startedModules()
  const writer = claim(options, scrubber, modules)
  if (writer === null) return
  const { sources } = options
  const network = sources.network === 'deny' ? denyNetwork(sources.allowHosts ?? []) : openNetwork
  const paused = sources.clock === 'paused' ? createPausedWorld({ ...startOf(sources), isBusy: () => recording.isBusy() }) : null
  const recorder =
    paused === null ? createStreamingRecorder(writer) : createStreamingRecorder(writer, { now: paused.wallMs, monotonicMs: paused.monotonicMs })
  const recording = createRecordSession({ recorder, scrubber, network, tape: options.tape, onQuiet: () => paused?.wake() })
  const { session } = recording
  const files = filesToRecord(sources.files)
  useFiles(session, files)
  const world = createFilesWorld({ source: sources.files?.source ?? 'real', roots: rootsOf(files), tape: options.tape, recorder, scrubber })
  useFilesWorld(session, world)
  if (paused !== null) useClockWorld(session, paused)
  if (sources.seed !== undefined) useRandomSource(session, seededSource(sources.seed))
  const stdout = createOutputTap(realProcess, 'stdout', scrubber)
  const stderr = createOutputTap(realProcess, 'stderr', scrubber)
  tapDescriptors(stdout, stderr)
  const installed = installForProcess(session, [stdout.patch, stderr.patch, addonPatch()], modules.namesFacts)
  for (const name of options.loaders) session.note(label('worker'), `modules are loaded by ${name}, in a thread of its own`)
  const finish = (end: ProcessEnd): void => {
    installed[Symbol.dispose]()
    recordUnfinished(session, recorder, scrubber)
    recording.end()
    world.end()
    const facts: Scrubbed<SealFacts> = {
      boundaries: completenessOf(capturedBoundaries, recording.crossings),
      exit: exitOf(end),
      stdout: stdout.facts(),
      stderr: stderr.facts(),
    }
    try {
      writer.close(facts)
    } catch (error) {
      // The program has ended well or badly by itself; that the tape is not whole is for `reprise record` to say, which finds no seal.
      if (!isRepriseError(error)) throw error
    }
  }
  onProcessEnd({ session, finish })
}

function claim(options: RecordProcessOptions, scrubber: Scrubber, modules: ProgramModules): TapeWriter | null {
  try {
    return TapeWriter.open(options.tape, headerOf(options, modules, scrubber))
  } catch (error) {
    if (isRepriseError(error) && error.code === 'out-exists') return null
    throw error
  }
}

function headerOf(options: RecordProcessOptions, modules: ProgramModules, scrubber: Scrubber): Scrubbed<TapeHeader> {
  const program = programOf(startedAs, realCwd())
  const facts: HeaderFacts = {
    scriptPath: program.script,
    argv: program.args,
    command: options.command,
    program,
    node: startedAs.version,
    startedAtUnixMs: options.sources.clock === 'paused' ? (options.sources.startAt ?? DEFAULT_START_MS) : null,
    boundaries: Object.fromEntries(
      Object.keys(capturedBoundaries).map((name) => [name, { mode: 'record', source: sourceOf(name, options.sources) }]),
    ),
    ...headerPlaces(filesToRecord(options.sources.files)),
    timeZone: realTimeZone(),
    locale: realLocale(),
    ...(program.script === '' ? {} : { modules: modules.digests }),
  }
  return createScrubbedHeader(facts, scrubber)
}

function sourceOf(boundary: string, sources: RecordSources): string {
  switch (boundary) {
    case 'clock':
      return sources.clock ?? 'real'
    case 'network':
      return sources.network ?? 'real'
    case 'filesystem':
      return sources.files?.source ?? 'real'
    case 'random':
      return sources.seed === undefined ? 'real' : 'seeded'
    default:
      return 'real'
  }
}

function startOf(sources: RecordSources): { readonly startAtMs?: number } {
  return sources.startAt === undefined ? {} : { startAtMs: sources.startAt }
}
