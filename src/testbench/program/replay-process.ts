/** Replays a tape in this whole process and judges it. Called by `reprise/register`. */
import { vouchedFor } from '../../boundaries/process/addons.ts'
import { mayRegisterHooks } from '../../boundaries/process/hook-threads.ts'
import { standInChannel } from '../../boundaries/process/own-channel.ts'
import { ignoresResize, recordedTerminals } from '../../boundaries/stdio/output-terminals.ts'
import { fs } from '../../real/fs.ts'
import { realCwd } from '../../real/process.ts'
import { exitAtOnce, exitNow, realProcess, startedAs } from '../../real/program.ts'
import { readModule } from '../../real/read-module.ts'
import { isWalled } from '../../real/walled.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { isForeignHeader } from '../../tape/foreign.ts'
import type { TapeHeader } from '../../tape/index.ts'
import { nameAs, resolveHeader } from '../../tape/root-names.ts'
import { createScrubbedHeader } from '../../tape/scrubbed-header.ts'
import { openSession } from '../compose/open-session.ts'
import { type PreparedTravel, travelHeader } from '../compose/prepare-travel.ts'
import { namedPlacesHere } from '../files/places.ts'
import { createReplayedDiff, diffDocument } from '../files/replayed-diff.ts'
import { capturedBoundaries, installForProcess } from '../install/process-boundaries.ts'
import { completenessOf } from '../records/completeness.ts'
import { recordedHooks } from '../tape-index/recorded-hooks.ts'
import { indexTape, type TapeIndex } from '../tape-index/tape-index.ts'
import { reportRefusal } from '../verdict/report-refusal.ts'
import { endOf } from '../verdict/run-end.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'
import { refuseDamaged, refuseWithoutPayloads } from '../verdict/whole-tape.ts'
import { createDebugWatch, type DebugSettings, type DebugWatch } from './debug-watch.ts'
import { createOutputTap, tapDescriptors } from './output-tap.ts'
import { deadlySignal, exitFacts, onProcessEnd, type ProcessEnd, type WatchedEnd } from './process-end.ts'
import { programOf } from './program-facts.ts'
import { changedModules } from './program-modules.ts'
import { claimResult, writeResult } from './replay-result.ts'
import { otherProgram, vouchedAddons } from './run-doubts.ts'
import { type ProgramModules, startedModules } from './started-modules.ts'
import {
  prepareFromSettings,
  type TravelReport,
  type TravelSettings,
  travelReport,
} from './travel-settings.ts'
import { NO_WALLS, type Walls } from './walls.ts'

export type ReplayProcessOptions = {
  readonly tape: string
  /**
   * Where the result goes: to the command line in another process, or, without it, the report to a file for
   * people.
   */
  readonly result: { readonly file: string } | { readonly report: string }
  readonly mode: ReplayMode
  readonly strict: boolean
  readonly debug: boolean
  readonly speed: number
  /** Where the second recording goes; null if it is only compared. */
  readonly emit: string | null
  /** Replaces an existing second recording. */
  readonly force: boolean
  /** Where the diff of what the program changes goes; null for nowhere. */
  readonly diff: string | null
  /** Native addons that the user allows now; those that the recording allowed are in the header. */
  readonly addons: readonly string[]
  /** What Node denies to this process. */
  readonly walls: Walls
  /** Not null in `reprise debug`. */
  readonly debugger: DebugSettings | null
  /** Not null in `reprise what-if` and `reprise fork`. */
  readonly travel: TravelSettings | null
}

/** As the header of the tape names it. */
function scrubbedProgram(
  scrubber: Scrubber,
  { header, places }: TapeIndex,
  root: string,
): NonNullable<TapeHeader['program']> {
  const program = programOf(startedAs, root)
  const named = nameAs(header, { program }, [places, namedPlacesHere()])
  return createScrubbedHeader(named, scrubber).program ?? program
}

export function replayProcess(options: ReplayProcessOptions): void {
  const { result } = options
  if (!('file' in result)) {
    startReplay(options, indexTape(options.tape), null)
    return
  }
  claimResult(result.file)
  try {
    const travel = options.travel === null ? null : prepareFromSettings(options.tape, options.travel)
    const index = travel?.index ?? indexTape(options.tape)
    if (!isForeignHeader(index.header)) refuseWithoutPayloads(options.tape, index.findings)
    if (travel !== null) refuseDamaged(options.tape, index.findings)
    startReplay(options, index, travel)
  } catch (error) {
    // Nothing has run. The command line reports it in one line.
    writeResult(result.file, () => {
      throw error
    })
    exitNow(NOT_STARTED)
  }
}

const NOT_STARTED = 125

/** The exit code of a run that a refusal ended. */
const REFUSED = 2

function startReplay(options: ReplayProcessOptions, index: TapeIndex, prepared: PreparedTravel | null): void {
  const root = realCwd()
  const { tape, mode, result, speed } = options
  const watch = options.debugger === null ? null : createDebugWatch(options.debugger)
  const modules = startedModules()
  let isRefused = false
  let watched: WatchedEnd | null = null
  const endRun = (): void => {
    isRefused = true
    watched?.finish({ code: REFUSED, signal: null })
    exitAtOnce(REFUSED)
  }
  const replay = openSession({
    from: 'tape',
    tape,
    index,
    mode,
    speed,
    watch,
    endRun,
    emit: options.travel?.out ?? options.emit,
    force: options.travel?.force ?? options.force,
    travel: prepared?.options ?? null,
    header:
      options.travel === null || prepared === null
        ? {}
        : {
            ...travelHeader(tape, options.travel, prepared),
            ...programHeader(options.travel, index, modules, root),
          },
  })
  const { scrubber } = replay
  const diff = options.diff === null ? null : createReplayedDiff(replay.session, tape)
  const isCounted = (): boolean => watch?.isEvaluating() !== true
  const stdout = createOutputTap(realProcess, 'stdout', scrubber, replay.session, isCounted)
  const stderr = createOutputTap(realProcess, 'stderr', scrubber, replay.session, isCounted)
  tapDescriptors(stdout, stderr)
  // Before the program can change its own arguments.
  const others = otherProgram(index.header, scrubbedProgram(scrubber, index, root), root, readModule)
  const local = resolveHeader(index.header, namedPlacesHere())
  const addons = vouchedAddons(local.addons ?? [], options.addons)
  vouchedFor.set(replay.session, addons)
  recordedTerminals.set(replay.session, index.header.terminals ?? null)
  ignoresResize.set(replay.session, index.header.terminals !== undefined)
  mayRegisterHooks.set(replay.session, recordedHooks(index))
  const installed = installForProcess(replay.session, [stdout.patch, stderr.patch], modules.namesFacts)
  const channel = index.header.channel === undefined ? null : standInChannel(replay.session)
  const finish = (end: ProcessEnd): void => {
    channel?.[Symbol.dispose]()
    installed.end()
    if (diff !== null && options.diff !== null)
      fs.writeFileSync(options.diff, diffDocument(diff), { mode: 0o600 })
    const report = (): ReplayReport => ({ ...judge(), walls: isWalled ? options.walls : NO_WALLS })
    const judge = (): ReplayReport =>
      replay.close(() => ({
        code: end.code,
        changed: changedModules(local.modules ?? {}, root, readModule),
        strict: options.strict,
        doubts: [...others, ...addons.doubts(), ...debuggerDoubts(watch)],
        seal: {
          ...exitFacts(end),
          stdout: stdout.facts(),
          stderr: stderr.facts(),
          ...(replay.travelled === null
            ? {}
            : { boundaries: completenessOf(capturedBoundaries, replay.travelled().crossings) }),
        },
      }))
    const travelled = (): TravelReport | null =>
      options.travel === null || prepared === null
        ? null
        : travelReport(tape, options.travel, prepared, replay, isRefused)
    if ('file' in result) writeResult(result.file, report, travelled)
    else fs.writeFileSync(result.report, `${JSON.stringify(report(), null, 2)}\n`, { mode: 0o600 })
  }
  const { seal } = index
  // A signal of its own the program sends again: in a listener of `exit`, for example.
  const isKilled = seal !== null && seal.endedBy === undefined
  const killedBy = isKilled ? deadlySignal(endOf(seal.exit)?.signal) : null
  const killedHere = (): NodeJS.Signals | null => (index.isUsedUp() && replay.isAtEnd() ? killedBy : null)
  const uncaught = (error: unknown): void => reportRefusal(error, replay.firstDivergence()?.message ?? null)
  watched = onProcessEnd({
    session: replay.session,
    ending: replay.finalize,
    finish,
    killedHere,
    ...(options.debug ? {} : { uncaught }),
  })
}

/** The new tape names the program that ran, as a recording does. */
function programHeader(
  { command }: TravelSettings,
  { header, places }: TapeIndex,
  modules: ProgramModules,
  root: string,
): Partial<TapeHeader> {
  const program = programOf(startedAs, root)
  const facts = {
    program,
    node: startedAs.version,
    ...(command === null ? {} : { command }),
    ...(program.script === '' ? {} : { modules: modules.digests }),
  }
  return nameAs(header, facts, [places, namedPlacesHere()])
}

function debuggerDoubts(watch: DebugWatch | null): string[] {
  return watch?.hooks.isChanged === true ? ['state was changed in the debugger'] : []
}
