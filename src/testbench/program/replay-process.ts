/** Replays a tape in this whole process and writes the second recording, which `reprise replay` judges. Called by `reprise/register`. */
import { useFiles } from '../../boundaries/files/files-of-session.ts'
import { addonPatch } from '../../boundaries/process/addons.ts'
import { monotonicMs } from '../../real/clock.ts'
import { fs } from '../../real/fs.ts'
import { realCwd, realEnv } from '../../real/process.ts'
import { realProcess } from '../../real/program.ts'
import { readModule } from '../../real/read-module.ts'
import { createScrubber } from '../../scrub/index.ts'
import { createReplaySession } from '../compose/replay-session.ts'
import { openSecondTape } from '../compose/second-tape.ts'
import { filesToReplay } from '../files/places.ts'
import { createReplayedDiff, diffDocument } from '../files/replayed-diff.ts'
import { installForProcess } from '../install/process-boundaries.ts'
import { indexTape } from '../tape-index/tape-index.ts'
import { judgeReplay } from '../verdict/judge.ts'
import { replayFacts } from '../verdict/replay-facts.ts'
import { endOf } from '../verdict/run-end.ts'
import { sayRefusal } from '../verdict/say-refusal.ts'
import type { ReplayMode } from '../verdict/verdict.ts'
import { createOutputTap, tapDescriptors } from './output-tap.ts'
import { deadlySignal, exitOf, onProcessEnd, type ProcessEnd } from './process-end.ts'
import { changedModules } from './program-modules.ts'
import { startedModules } from './started-modules.ts'

export type ReplayProcessOptions = {
  readonly tape: string
  /** Where the result goes: facts for a judge in another process, or, without the command line, the report itself. */
  readonly result: { readonly facts: string } | { readonly report: string }
  readonly mode: ReplayMode
  readonly strict: boolean
  readonly debug: boolean
  readonly speed: number
  /** Where the second recording goes. */
  readonly emit: string
  /** Replaces a second recording that is there. */
  readonly force: boolean
  /** Where the diff of what the program changes goes; null for nowhere. */
  readonly diff: string | null
}

export function replayProcess(options: ReplayProcessOptions): void {
  const startedAt = monotonicMs()
  const root = realCwd()
  const scrubber = createScrubber({ env: { ...realEnv } })
  const index = indexTape(options.tape)
  const emitted = openSecondTape(options.emit, index, scrubber, options.force)
  const replay = createReplaySession({
    path: options.tape,
    index,
    scrubber,
    speed: options.speed,
    emit: emitted,
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
    const replayMs = Math.round(monotonicMs() - startedAt)
    const state = replay.finish(options.mode === 'byte_identical')
    emitted.close({ exit: exitOf(end), stdout: stdout.facts(), stderr: stderr.facts() })
    if (diff !== null && options.diff !== null) fs.writeFileSync(options.diff, diffDocument(diff))
    const facts = replayFacts(index, state, state.doubts, { code: end.code, replayMs, changed, strict: options.strict })
    const { result, mode } = options
    if ('facts' in result) fs.writeFileSync(result.facts, `${JSON.stringify(facts)}\n`, { mode: 0o600 })
    else fs.writeFileSync(result.report, `${JSON.stringify(judgeReplay(facts, options.tape, options.emit, { mode }), null, 2)}\n`, { mode: 0o600 })
  }
  const killedBy = deadlySignal(index.seal === null ? null : endOf(index.seal.exit)?.signal)
  const killedHere = (): NodeJS.Signals | null => (index.isUsedUp() && replay.isAtEnd() ? killedBy : null)
  const uncaught = (error: unknown): void => sayRefusal(error, replay.firstDivergence()?.message ?? null)
  onProcessEnd({ session: replay.session, finish, killedHere, ...(options.debug ? {} : { uncaught }) })
}
