/**
 * Recording and replaying part of a process: what `body` does, and what it starts, by async context.
 * Concurrent calls have a tape each; everything outside passes through untouched. When the last one ends,
 * every patched property is exactly as it was.
 *
 * Decision 0235.
 */
import { outside, runInSession } from '../../boundaries/context.ts'
import { retireConnections } from '../../boundaries/network/connection.ts'
import type { RepriseError } from '../../errors/index.ts'
import type { ScrubOptions } from '../../scrub/index.ts'
import { type RunSummary, runSummary } from '../../tape/run-summary.ts'
import { openSession } from '../compose/open-session.ts'
import { divergenceError } from '../difference/divergence.ts'
import { unusedEffects, waitsForever } from '../difference/sentences.ts'
import type { FilesSource } from '../files/file-access.ts'
import { boundaryPatches, capturedBoundaries, installForSession } from '../install/process-boundaries.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { completenessOf } from '../records/completeness.ts'
import { settledOrWaiting } from '../sources/patience.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'
import { openReplay } from './open-replay.ts'

export type RecordOptionsInProcess = {
  /** Replaces an existing tape. */
  readonly force?: boolean
  /** An older tape: a request whose key is on it is answered from it, any other goes out. */
  readonly answersFrom?: string
  readonly match?: MatchRules
  readonly scrub?: Pick<ScrubOptions, 'rules'>
  /** `overlay`: what is written stays in a layer over the files, and the disk as it is. */
  readonly fs?: FilesSource
  /** Called when the tape is whole, with what is on it. */
  readonly onSummary?: (summary: RunSummary) => void
}

export type ReplayOptionsInProcess = {
  readonly mode?: ReplayMode
  readonly match?: MatchRules
  readonly scrub?: Pick<ScrubOptions, 'rules'>
}

/**
 * Runs `body` and puts everything it takes in on the tape at `path`. Gives what `body` gives; a tape that is
 * not whole is an error.
 */
export async function record<T>(
  path: string,
  body: () => T | Promise<T>,
  options: RecordOptionsInProcess = {},
): Promise<T> {
  using recording = openSession({
    from: 'world',
    tape: path,
    force: options.force,
    header: { boundaries: recordedBoundaries() },
    match: options.match,
    scrub: options.scrub,
    older: options.answersFrom,
    files: { source: options.fs ?? 'real' },
    isPart: true,
  })
  using _patches = installForSession(boundaryPatches())
  try {
    const result = await runInSession(recording.session, async () => body())
    recording.finalize()
    recording.close((crossings) => ({ boundaries: completenessOf(capturedBoundaries, crossings) }))
    if (options.onSummary !== undefined) options.onSummary(outside(() => runSummary(path)))
    return result
  } finally {
    recording.end()
    retireConnections(recording.session)
  }
}

export type ReplayResult<T> = { readonly value: T; readonly report: ReplayReport }

/**
 * Runs `body` from the tape alone. Gives its value and the report; a replay that is not faithful is an error,
 * even if `body` swallowed it.
 */
export async function replay<T>(
  path: string,
  body: () => T | Promise<T>,
  options: ReplayOptionsInProcess = {},
): Promise<ReplayResult<T>> {
  using replayed = openReplay({ path, match: options.match, scrub: options.scrub, mode: options.mode })
  const { session, idleMs } = replayed
  using _patches = installForSession(boundaryPatches())
  const outcome = await settledOrWaiting(
    runInSession(session, async () => body()),
    idleMs,
  )
  retireConnections(session)
  const report = replayed.judge()
  if (outcome.type === 'failed' && isOnlyShort(report)) throw outcome.error
  const failure = failureOf(report)
  if (failure !== null) throw outcome.type === 'failed' ? withFrames(failure, outcome.error) : failure
  if (outcome.type === 'waits') throw divergenceError(waitsForever())
  if (outcome.type === 'failed') throw outcome.error
  return { value: outcome.value, report }
}

const SHORT = new Set(['ended_early', 'random_missing', 'clock_missing'])

/** Nothing but what is left over: a body that threw leaves things over, and what it threw says why. */
function isOnlyShort({ divergences }: ReplayReport): boolean {
  return divergences.every(({ category }) => SHORT.has(category))
}

/** What a replay that is not faithful throws; null if nothing was found against it. */
export function failureOf(report: ReplayReport): RepriseError | null {
  const [first] = report.divergences
  if (first !== undefined) return divergenceError(first)
  const [unused] = report.unused
  return unused === undefined
    ? null
    : divergenceError(unusedEffects(unused.seq, unused.summary, report.unused.length))
}

/** The frames of the error that the body got: they lead to the call that diverged. */
function withFrames(failure: RepriseError, error: unknown): RepriseError {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const at = stack.search(/\n\s+at /)
  if (at >= 0) failure.stack = `${failure.name}: ${failure.message}${stack.slice(at)}`
  return failure
}

function recordedBoundaries(): { [boundary: string]: { readonly mode: 'record'; readonly source: string } } {
  return Object.fromEntries(
    Object.keys(capturedBoundaries).map((name) => [name, { mode: 'record', source: 'real' }]),
  )
}
