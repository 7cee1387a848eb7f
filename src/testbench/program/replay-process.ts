/** Replays a tape in this whole process and leaves the report where `reprise replay` finds it. Called by `reprise/register`. */
import { useFiles } from '../../boundaries/files/files-of-session.ts'
import { addonPatch } from '../../boundaries/process/addons.ts'
import { monotonicMs } from '../../real/clock.ts'
import { fs } from '../../real/fs.ts'
import { onExit, realCwd, realEnv } from '../../real/process.ts'
import { realProcess } from '../../real/program.ts'
import { readModule } from '../../real/read-module.ts'
import { createScrubber } from '../../scrub/index.ts'
import { filesToReplay } from '../files/places.ts'
import { createReplayedDiff, diffDocument } from '../files/replayed-diff.ts'
import { installForProcess } from '../install/process-boundaries.ts'
import { openEmitted } from '../replay/open-emitted.ts'
import { createReplaySession } from '../replay/replay-session.ts'
import { indexTape } from '../tape-index/tape-index.ts'
import { sayRefusal } from '../verdict/say-refusal.ts'
import { endOf, type ReplayMode, replayReport } from '../verdict/verdict.ts'
import { createOutputTap, tapDescriptors } from './output-tap.ts'
import { deadlySignal, exitOf, onProcessEnd, type ProcessEnd } from './process-end.ts'
import { changedModules } from './program-modules.ts'
import { startedModules } from './started-modules.ts'

export type ReplayProcessOptions = {
  readonly tape: string
  /** Where the report goes: a file made for it beforehand. */
  readonly report: string
  readonly mode: ReplayMode
  readonly strict: boolean
  readonly debug: boolean
  readonly speed: number
  /** Where the tape of this run goes; null for nowhere. */
  readonly emit: string | null
  /** Where the diff of what the program changes goes; null for nowhere. */
  readonly diff: string | null
}

export function replayProcess(options: ReplayProcessOptions): void {
  const startedAt = monotonicMs()
  const root = realCwd()
  const scrubber = createScrubber({ env: { ...realEnv } })
  const index = indexTape(options.tape)
  // A tape that is being written listens for the end of the process; whoever counts the listeners counts the same when none is written.
  if (options.emit === null) onExit(() => undefined)
  const emitted = options.emit === null ? null : openEmitted(options.tape, options.emit, index, scrubber)
  const replay = createReplaySession({
    path: options.tape,
    index,
    scrubber,
    speed: options.speed,
    ...(emitted === null ? {} : { emit: emitted.tape }),
  })
  useFiles(replay.session, filesToReplay(index.header))
  const diff = options.diff === null ? null : createReplayedDiff(replay.session, options.tape)
  const stdout = createOutputTap(realProcess, 'stdout', scrubber)
  const stderr = createOutputTap(realProcess, 'stderr', scrubber)
  tapDescriptors(stdout, stderr)
  const installed = installForProcess(replay.session, [stdout.patch, stderr.patch, addonPatch()], startedModules().namesFacts)
  const finish = (end: ProcessEnd): void => {
    installed[Symbol.dispose]()
    const changed = changedModules(index.header.modules ?? {}, root, readModule)
    const ended = {
      ...end,
      changed,
      strict: options.strict,
      stdout: stdout.facts(),
      stderr: stderr.facts(),
      replayMs: Math.round(monotonicMs() - startedAt),
    }
    // Looks at what the tape has left, and so may still write to the tape of this run.
    const state = replay.state()
    emitted?.writer.close({ exit: exitOf(end), stdout: ended.stdout, stderr: ended.stderr })
    if (diff !== null && options.diff !== null) fs.writeFileSync(options.diff, diffDocument(diff))
    const report = replayReport(options.tape, index, state, ended, options.mode)
    fs.writeFileSync(options.report, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 })
  }
  const killedBy = deadlySignal(index.seal === null ? null : endOf(index.seal.exit)?.signal)
  const killedHere = (): NodeJS.Signals | null => (index.isUsedUp() && replay.isAtEnd() ? killedBy : null)
  const uncaught = (error: unknown): void => sayRefusal(error, replay.firstDivergence()?.message ?? null)
  onProcessEnd({ session: replay.session, finish, killedHere, ...(options.debug ? {} : { uncaught }) })
}
