/**
 * A part of a process that leaves its tape on purpose: `fork` is exact up to a record and goes on live,
 * `whatIf` gives other outcomes than the recorded ones. What `body` changes in files stays in a layer.
 */
import { runInSession } from '../../boundaries/context.ts'
import { retireConnections } from '../../boundaries/network/connection.ts'
import { RepriseError } from '../../errors/index.ts'
import { divergenceError } from '../../fidelity/divergence.ts'
import { waitsForever } from '../../fidelity/sentences.ts'
import { openSession } from '../compose/open-session.ts'
import { prepareTravel, requireRecord, type TravelWishes, travelHeader } from '../compose/prepare-travel.ts'
import { checkedEdits, type Edit } from '../edits/edit.ts'
import { boundaryPatches, installForSession } from '../install/process-boundaries.ts'
import { type LiveName, liveNames } from '../sources/live-set.ts'
import { settledOrWaiting } from '../sources/patience.ts'
import type { ReplayReport } from '../verdict/verdict.ts'
import { refuseUnlessWhole } from '../verdict/whole-tape.ts'
import type { ReplayedRecord } from './stop-at.ts'

type TravelOptionsInProcess = {
  /** A file for the new tape; without it nothing is written. */
  readonly out?: string
  /** Replaces a tape that is there. */
  readonly force?: boolean
  /** Variables that the body finds once it is live. */
  readonly env?: Readonly<Record<string, string>>
  /** Models that live calls are sent to, by those that the body names. */
  readonly models?: Readonly<Record<string, string>>
  /** `real`: files of the disk are used once the body is live. Live subprocesses need it. */
  readonly fs?: 'overlay' | 'real'
  readonly onRecord?: (record: ReplayedRecord) => void
}

export type ForkOptions = TravelOptionsInProcess & {
  /** The last record that comes from the tape. */
  readonly at: number
  /** What is live after it; everything else is refused. */
  readonly live: readonly LiveName[]
}

export type WhatIfOptions = TravelOptionsInProcess & {
  readonly edits: readonly { readonly seq: number; readonly edit: Edit }[]
  /** What happens where the body requests something that is not recorded; default `refuse`. */
  readonly then?: 'refuse' | 'nearest' | { readonly live: readonly LiveName[] }
}

export type TravelResult<T> = {
  readonly value: T
  /** Whether the body went on live, or received an edited outcome. */
  readonly stage: 'tape' | 'edited' | 'live'
  /** What it was refused. */
  readonly refused: readonly string[]
  /** How the run compares with its tape. */
  readonly report: ReplayReport
}

/** Runs `body` exactly up to record `at`, and goes on live. */
export async function fork<T>(
  path: string,
  options: ForkOptions,
  body: () => T | Promise<T>,
): Promise<TravelResult<T>> {
  const { at, live } = options
  if (!Number.isSafeInteger(at) || at < 0) throw wrong('at is the number of a record')
  checkLive(live)
  requireRecord(path, at)
  return travel(path, options, { at, misses: 'live', live }, [], body)
}

/** Runs `body` with other outcomes than the recorded ones. */
export async function whatIf<T>(
  path: string,
  options: WhatIfOptions,
  body: () => T | Promise<T>,
): Promise<TravelResult<T>> {
  const { then = 'refuse' } = options
  const edits = checkedEdits(options.edits, 'edits')
  if (typeof then !== 'string') checkLive(then.live)
  const how =
    typeof then === 'string' ? { misses: then, live: [] } : { misses: 'live' as const, live: then.live }
  return travel(path, options, { at: null, ...how }, edits, body)
}

async function travel<T>(
  path: string,
  options: TravelOptionsInProcess,
  how: Pick<TravelWishes, 'at' | 'misses' | 'live'>,
  edits: WhatIfOptions['edits'],
  body: () => T | Promise<T>,
): Promise<TravelResult<T>> {
  const { env = {}, models = {}, fs = 'overlay' } = options
  const { live } = how
  if (fs !== 'real' && (live.includes('process') || live.includes('all')))
    throw wrong("live subprocesses need files on the disk: give fs: 'real'")
  const wishes: TravelWishes = { ...how, env, models, files: { type: fs === 'real' ? 'disk' : 'overlay' } }
  const prepared = prepareTravel(path, edits, wishes)
  refuseUnlessWhole(path, prepared.index.findings)
  let isLive = false
  using replayed = openSession({
    from: 'tape',
    tape: path,
    index: prepared.index,
    isPart: true,
    emit: options.out ?? null,
    force: options.force,
    travel: prepared.options,
    header: travelHeader(path, wishes, prepared),
    onLive: () => {
      isLive = true
    },
    onRecord: ({ seq, monotonicMs }) => options.onRecord?.({ seq, monotonicMs }),
  })
  const { session, idleMs } = replayed
  using _patches = installForSession(boundaryPatches())
  const outcome = await settledOrWaiting(
    runInSession(session, async () => body()),
    () => (isLive ? 0 : idleMs()),
  )
  retireConnections(session)
  replayed.finalize()
  const report = replayed.close(() => ({ code: null, changed: [], strict: false, doubts: [], seal: {} }))
  const events = replayed.travelled?.()
  if (outcome.type === 'waits') throw divergenceError(waitsForever())
  if (outcome.type === 'failed') throw outcome.error
  const refused = (events?.refused ?? []).map(({ message }) => message)
  return { value: outcome.value, stage: events?.stage ?? 'tape', refused, report }
}

/** For callers without types. */
function checkLive(live: readonly string[]): void {
  const isKnown = Array.isArray(live) && live.every((name) => liveNames.some((known) => known === name))
  if (!isKnown || live.length === 0) throw wrong(`live is a list of one or more of ${liveNames.join(', ')}`)
}

function wrong(message: string): RepriseError {
  return new RepriseError('usage', message, { hint: 'see docs/guides/time-travel.md' })
}
