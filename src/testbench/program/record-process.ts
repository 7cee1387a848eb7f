/**
 * Records this whole process onto a tape, from before its first line to its end. Called by
 * `reprise/register`.
 *
 * The first process that gets here and is no wrapper claims the tape by creating it. Each of its children
 * gets its own tape, and so does another Node process of the same command. A child that cannot have a tape
 * runs unrecorded; its parent notes that.
 */
import { dirname, join } from 'node:path'
import { label } from '../../base/index.ts'
import { vouchedFor } from '../../boundaries/process/addons.ts'
import { isStartedAlike, useHandOver } from '../../boundaries/process/launched-child.ts'
import { hasOwnChannel, ownChannelPatches } from '../../boundaries/process/own-channel.ts'
import { useRecordedChildren } from '../../boundaries/process/recorded-child.ts'
import { useSealBeforeReplacing } from '../../boundaries/process/replace-process.ts'
import { ignoresResize } from '../../boundaries/stdio/output-terminals.ts'
import { isRepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { realLocale, realTimeZone } from '../../real/locality.ts'
import { realTerminals } from '../../real/output-terminals.ts'
import { realCwd, realEnv } from '../../real/process.ts'
import { realProcess, startedAs } from '../../real/program.ts'
import { childrenFolder, childTapeName, parentName } from '../../tape/children-folder.ts'
import type { HeaderFacts } from '../../tape/index.ts'
import { removeTape } from '../../tape/writer.ts'
import {
  type ChildSettings,
  type KnownSecret,
  type OwnStart,
  recordedChildEnv,
} from '../children/child-settings.ts'
import type { RecordSources } from '../children/record-sources.ts'
import { recordChildren } from '../children/recorded-children.ts'
import type { Recording } from '../compose/open-recording.ts'
import { openSession } from '../compose/open-session.ts'
import { capturedBoundaries, installForProcess } from '../install/process-boundaries.ts'
import { completenessOf } from '../records/completeness.ts'
import { inheritedSecrets } from './inherited-secrets.ts'
import { createOutputTap, tapDescriptors } from './output-tap.ts'
import { exitFacts, onProcessEnd, type ProcessEnd } from './process-end.ts'
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
  /** Not null for a child of a recorded process. */
  readonly child: ChildSettings | null
}

export function recordProcess(given: RecordProcessOptions): void {
  const options = asSibling(given)
  if (options === null) return
  const modules = startedModules()
  const claimed =
    options.child === null ? claim(options, modules) : claimAsChild(options, options.child, modules)
  if (claimed === null) return
  const { recording, tape } = claimed
  const { session, scrubber } = recording
  const children = recordChildren(tape, options.sources, scrubber)
  if (options.sources.children !== 'off') useRecordedChildren(session, children.recordChild)
  const stdout = createOutputTap(realProcess, 'stdout', scrubber, session)
  const stderr = createOutputTap(realProcess, 'stderr', scrubber, session)
  tapDescriptors(stdout, stderr)
  ignoresResize.set(session, true)
  vouchedFor.set(session, { names: new Set(options.sources.addons ?? []) })
  const installed = installForProcess(
    session,
    [stdout.patch, stderr.patch, ...ownChannelPatches()],
    modules.namesFacts,
  )
  for (const name of options.loaders)
    session.note(label('worker'), `modules are loaded by ${name}, in a thread of its own`)
  const finish = (end: ProcessEnd): void => {
    installed.end()
    try {
      recording.close((crossings) => ({
        boundaries: completenessOf(capturedBoundaries, crossings),
        ...exitFacts(end),
        stdout: stdout.facts(),
        stderr: stderr.facts(),
        ...children.seals(),
      }))
    } catch (error) {
      // The program's own result does not change. `reprise record` finds no seal and reports that the tape is
      // not whole.
      if (!isRepriseError(error)) throw error
    }
  }
  const end = onProcessEnd({ session, ending: recording.finalize, finish })
  const envAtStart = { ...realEnv }
  useHandOver(session, ({ args, env }) => {
    // A worker: `fork(import.meta.filename)`.
    if (isStartedAlike({ args, env }, envAtStart)) return null
    end.release()
    installed[Symbol.dispose]()
    recording[Symbol.dispose]()
    removeTape(tape)
    return recordedChildEnv(options.start, tape, env)
  })
  useSealBeforeReplacing(session, () => end.finish({ code: 0, signal: null }))
}

type Claimed = { readonly recording: Recording; readonly tape: string }

/**
 * Another Node process of the command than the one that has the tape: it is recorded as child 0. Null if
 * children are not recorded.
 */
function asSibling(options: RecordProcessOptions): RecordProcessOptions | null {
  const { tape, child, sources } = options
  if (child !== null || !fs.existsSync(tape)) return options
  if (sources.children === 'off') return null
  const first = join(childrenFolder(tape), childTapeName(0, 1))
  const own = { parent: parentName(tape), number: 0, pipe: null, parentPid: 0, secretEnv: [] }
  return { ...options, tape: first, child: own, command: startedCommand() }
}

/** Null if another process of the program has the tape already. */
function claim(
  options: RecordProcessOptions,
  modules: ProgramModules,
  known: readonly KnownSecret[] = [],
): Claimed | null {
  const { sources, tape } = options
  try {
    const recording = openSession({
      from: 'world',
      tape,
      header: headerOf(options, modules),
      paused: sources.clock === 'paused' ? startOf(sources) : null,
      seed: sources.seed,
      allowHosts: sources.network === 'deny' ? (sources.allowHosts ?? []) : null,
      files: sources.files,
      known,
    })
    return { recording, tape }
  } catch (error) {
    if (isRepriseError(error) && error.code === 'out-exists') return null
    throw error
  }
}

/** Up to this many Node processes may share the environment of one child: a shell, `npm run`. */
const MAX_PROCESSES = 10_000

/** Null if there can be no tape: the program runs without one. */
function claimAsChild(
  options: RecordProcessOptions,
  child: ChildSettings,
  modules: ProgramModules,
): Claimed | null {
  const folder = dirname(options.tape)
  const known = inheritedSecrets(child)
  try {
    for (let process = 1; process <= MAX_PROCESSES; process += 1) {
      const tape = join(folder, childTapeName(child.number, process))
      // Check first: opening a session that then fails takes a thousand times as long.
      if (fs.existsSync(tape)) continue
      const claimed = claim({ ...options, tape }, modules, known)
      if (claimed !== null) return claimed
    }
    return null
  } catch (error) {
    if (isRepriseError(error)) return null
    throw error
  }
}

/** The command of a process that no user typed. */
export function startedCommand(): string[] {
  return [startedAs.execPath, ...startedAs.argv.slice(1)]
}

function headerOf(
  { command, sources, child, start }: RecordProcessOptions,
  modules: ProgramModules,
): HeaderFacts {
  const program = programOf(startedAs, realCwd())
  return {
    scriptPath: program.script,
    argv: program.args,
    command,
    program,
    ...(hasOwnChannel() ? { channel: 'json' } : {}),
    ...(child === null ? {} : { childOf: { tape: child.parent, child: child.number } }),
    ...(child === null || !start.nodeOptions ? {} : { nodeOptions: start.nodeOptions }),
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
    terminals: realTerminals(),
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
