/**
 * Recording and replaying part of a process: what `body` does, and what it starts, by async context.
 * Concurrent calls have a tape each; everything outside passes through untouched. When the last one ends,
 * every patched property is exactly as it was.
 *
 * Decision 0235.
 */
import { outside, runInSession } from '../../boundaries/context.ts'
import { retireConnections } from '../../boundaries/network/connection.ts'
import { useRecordedChildren } from '../../boundaries/process/recorded-child.ts'
import { RepriseError } from '../../errors/index.ts'
import { divergenceError } from '../../fidelity/divergence.ts'
import { unusedEffects, waitsForever } from '../../fidelity/sentences.ts'
import type { ScrubOptions } from '../../scrub/index.ts'
import { type RunSummary, runSummary } from '../../tape/run-summary.ts'
import { recordChildren } from '../children/recorded-children.ts'
import { openSession } from '../compose/open-session.ts'
import type { FilesSource } from '../files/file-access.ts'
import { boundaryPatches, capturedBoundaries, installForSession } from '../install/process-boundaries.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { completenessOf } from '../records/completeness.ts'
import { settledOrWaiting } from '../sources/patience.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'
import { type WhatIfOptions, whatIf } from './fork.ts'
import { openReplay } from './open-replay.ts'
import { type ReplayedRecord, stopAt } from './stop-at.ts'

export type RecordOptionsInProcess = {
  /** Replaces an existing tape. */
  readonly force?: boolean
  /** An older tape: a request whose key is on it is answered from it, any other goes out. */
  readonly answersFrom?: string
  readonly match?: MatchRules
  readonly scrub?: Pick<ScrubOptions, 'rules'>
  /** `overlay`: what is written stays in a layer over the files, and the disk as it is. */
  readonly fs?: FilesSource
  /** `off`: Node children have no tapes of their own. */
  readonly children?: 'on' | 'off'
  /** Called when the tape is whole, with what is on it. */
  readonly onSummary?: (summary: RunSummary) => void
}

export type ReplayOptionsInProcess = {
  readonly mode?: ReplayMode
  readonly match?: MatchRules
  readonly scrub?: Pick<ScrubOptions, 'rules'>
  /** Stops at this record: the body receives nothing after it, and `value` is undefined. */
  readonly until?: number
  /** Other outcomes than the recorded ones. What is not recorded is refused; differences are no error. */
  readonly edits?: WhatIfOptions['edits']
  /** Called for each record that this run has made again. */
  readonly onRecord?: (record: ReplayedRecord) => void
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
  const { session, scrubber } = recording
  const children = recordChildren(path, { files: { source: 'real' } }, scrubber)
  if (options.children !== 'off') useRecordedChildren(session, children.recordChild)
  using _patches = installForSession(boundaryPatches())
  try {
    const result = await runInSession(session, async () => body())
    recording.finalize()
    recording.close((crossings) => ({
      boundaries: completenessOf(capturedBoundaries, crossings),
      ...children.seals(),
    }))
    if (options.onSummary !== undefined) options.onSummary(outside(() => runSummary(path)))
    return result
  } finally {
    recording.end()
    retireConnections(session)
  }
}

export type ReplayResult<T> = { readonly value: T; readonly report: ReplayReport }

/**
 * Runs `body` from the tape alone. Gives its value and the report; a replay that is not faithful is an error,
 * even if `body` swallowed it.
 */
export function replay<T>(
  path: string,
  body: () => T | Promise<T>,
  options: ReplayOptionsInProcess & { readonly until: number },
): Promise<ReplayResult<T | undefined>>
export function replay<T>(
  path: string,
  body: () => T | Promise<T>,
  options?: ReplayOptionsInProcess,
): Promise<ReplayResult<T>>
export async function replay<T>(
  path: string,
  body: () => T | Promise<T>,
  options: ReplayOptionsInProcess = {},
): Promise<ReplayResult<T | undefined>> {
  const { edits = [], until = null, onRecord } = options
  if (edits.length > 0 && until !== null)
    throw new RepriseError('usage', 'until and edits do not go together', { hint: 'choose one' })
  if (edits.length > 0) return whatIf(path, { edits, ...(onRecord === undefined ? {} : { onRecord }) }, body)
  if (until !== null && (!Number.isSafeInteger(until) || until < 0))
    throw new RepriseError('usage', 'until is the number of a record', { hint: 'reprise inspect shows them' })
  const stop = stopAt(until)
  using replayed = openReplay({
    path,
    match: options.match,
    scrub: options.scrub,
    mode: options.mode,
    replaceParts: stop.parts,
    // Called for each record, so it is set only if it is used.
    ...(until === null && onRecord === undefined
      ? {}
      : {
          onRecord({ seq, monotonicMs }) {
            onRecord?.({ seq, monotonicMs })
            stop.reached(seq)
          },
        }),
  })
  const { session, idleMs } = replayed
  using _patches = installForSession(boundaryPatches())
  const outcome = await Promise.race([
    settledOrWaiting(
      runInSession(session, async () => body()),
      idleMs,
    ),
    stop.stopped,
  ])
  retireConnections(session)
  // What the body starts after the record fails, and so may the body.
  if (outcome.type === 'stopped' || (stop.isOver() && outcome.type !== 'value')) {
    const report = stop.judged(replayed.judge())
    const failure = failureOf(report)
    if (failure !== null) throw failure
    return { value: undefined, report }
  }
  const report = replayed.judge()
  if (outcome.type === 'failed' && isOnlyShort(report)) throw outcome.error
  const failure = failureOf(report)
  if (failure !== null) throw outcome.type === 'failed' ? withFrames(failure, outcome.error) : failure
  if (outcome.type === 'waits') throw divergenceError(waitsForever())
  if (outcome.type === 'failed') throw outcome.error
  return { value: outcome.value, report }
}

const SHORT = new Set(['ended_early', 'random_missing', 'clock_missing'])

/** The run only ended early. A body that threw leaves records over, and its error is the reason to report. */
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

/**
 * The frames of the error that the body got: they lead to the call that diverged. In Jest that error has
 * another global `Error`, so `instanceof` does not recognise it.
 */
function withFrames(failure: RepriseError, error: unknown): RepriseError {
  const stack = typeof error === 'object' && error !== null ? String(Reflect.get(error, 'stack')) : ''
  const at = stack.search(/\n\s+at /)
  if (at >= 0) failure.stack = `${failure.name}: ${failure.message}${stack.slice(at)}`
  return failure
}

function recordedBoundaries(): { [boundary: string]: { readonly mode: 'record'; readonly source: string } } {
  return Object.fromEntries(
    Object.keys(capturedBoundaries).map((name) => [name, { mode: 'record', source: 'real' }]),
  )
}
