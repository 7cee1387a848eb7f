/**
 * Records this whole process onto a tape, from before its first line to its end. Called by
 * `reprise/register`.
 *
 * The first process that gets here and is no wrapper claims the tape by creating it; its children find it
 * there and are left alone.
 */
import { label } from '../../base/index.ts'
import { addonPatch } from '../../boundaries/process/addons.ts'
import { useHandOver } from '../../boundaries/process/launched-child.ts'
import { hasOwnChannel, ownChannelPatches } from '../../boundaries/process/own-channel.ts'
import { useSealBeforeReplacing } from '../../boundaries/process/replace-process.ts'
import { isRepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { realLocale, realTimeZone } from '../../real/locality.ts'
import { realCwd } from '../../real/process.ts'
import { realProcess, startedAs } from '../../real/program.ts'
import type { HeaderFacts } from '../../tape/index.ts'
import { removeTape } from '../../tape/writer.ts'
import type { Recording } from '../compose/open-recording.ts'
import { openSession } from '../compose/open-session.ts'
import type { RecordedFiles } from '../files/places.ts'
import { capturedBoundaries, installForProcess } from '../install/process-boundaries.ts'
import { completenessOf } from '../records/completeness.ts'
import { type OwnStart, recordedChildEnv } from './child-settings.ts'
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
  /** What this process was started with. */
  readonly start: OwnStart
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
  /** Native addons that the user vouches for. */
  readonly addons?: readonly string[]
}

export function recordProcess(options: RecordProcessOptions): void {
  // A child of the program that is being recorded: usually it is detected here.
  if (fs.existsSync(options.tape)) return
  const modules = startedModules()
  const recording = claim(options, modules)
  if (recording === null) return
  const { session, scrubber } = recording
  const stdout = createOutputTap(realProcess, 'stdout', scrubber)
  const stderr = createOutputTap(realProcess, 'stderr', scrubber)
  tapDescriptors(stdout, stderr)
  const installed = installForProcess(
    session,
    [
      stdout.patch,
      stderr.patch,
      addonPatch({ names: new Set(options.sources.addons ?? []) }),
      ...ownChannelPatches(),
    ],
    modules.namesFacts,
  )
  for (const name of options.loaders)
    session.note(label('worker'), `modules are loaded by ${name}, in a thread of its own`)
  const finish = (end: ProcessEnd): void => {
    installed[Symbol.dispose]()
    try {
      recording.close((crossings) => ({
        boundaries: completenessOf(capturedBoundaries, crossings),
        exit: exitOf(end),
        stdout: stdout.facts(),
        stderr: stderr.facts(),
      }))
    } catch (error) {
      // The program has ended well or badly by itself; that the tape is not whole is for `reprise record` to
      // say, which finds no seal.
      if (!isRepriseError(error)) throw error
    }
  }
  const end = onProcessEnd({ session, ending: recording.finalize, finish })
  useHandOver(session, ({ env }) => {
    end.release()
    installed[Symbol.dispose]()
    recording[Symbol.dispose]()
    removeTape(options.tape)
    return recordedChildEnv(options.start, options.tape, env)
  })
  useSealBeforeReplacing(session, () => end.finish({ code: 0, signal: null }))
}

/** Null if another process of the program has the tape already. */
function claim(options: RecordProcessOptions, modules: ProgramModules): Recording | null {
  const { sources } = options
  try {
    return openSession({
      from: 'world',
      tape: options.tape,
      header: headerOf(options, modules),
      paused: sources.clock === 'paused' ? startOf(sources) : null,
      seed: sources.seed,
      allowHosts: sources.network === 'deny' ? (sources.allowHosts ?? []) : null,
      files: sources.files,
    })
  } catch (error) {
    if (isRepriseError(error) && error.code === 'out-exists') return null
    throw error
  }
}

function headerOf({ command, sources }: RecordProcessOptions, modules: ProgramModules): HeaderFacts {
  const program = programOf(startedAs, realCwd())
  return {
    scriptPath: program.script,
    argv: program.args,
    command,
    program,
    ...(hasOwnChannel() ? { channel: 'json' } : {}),
    node: startedAs.version,
    boundaries: Object.fromEntries(
      Object.keys(capturedBoundaries).map((name) => [
        name,
        { mode: 'record', source: sourceOf(name, sources) },
      ]),
    ),
    ...((sources.addons ?? []).length === 0 ? {} : { addons: sources.addons ?? [] }),
    timeZone: realTimeZone(),
    locale: realLocale(),
    ...(program.script === '' ? {} : { modules: modules.digests }),
  }
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
