/**
 * Plays the events of a cassette to a sink, in `seq` order, one at a time.
 *
 * `collapsed` does not wait; `realtime` waits the recorded gaps; `scaled` waits them times `scale` (2 is
 * slower). The first event is never delayed. An unknown mode or an impossible scale is an error, and an
 * aborted signal ends any mode, also between two events that need no wait.
 */
import { unreachable } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { realClearTimeout, realSetImmediate, realSetTimeout } from '../../real/clock.ts'
import type { CassetteEvent } from '../codec/records.ts'

export type ReplayMode = 'realtime' | 'scaled' | 'collapsed'
export const REPLAY_MODES: readonly ReplayMode[] = ['realtime', 'scaled', 'collapsed']

/** Waits, or throws when the signal aborts. */
export type Sleeper = (delayMs: number, signal: AbortSignal | undefined) => Promise<void>
export type ReplaySink = (event: CassetteEvent) => void | Promise<void>

export type ReplayOptions = {
  /** Default: the mode in the cassette's manifest, else `collapsed`. */
  readonly mode?: ReplayMode
  /** A factor on every wait, for `scaled`: finite and above 0. Default 1. */
  readonly scale?: number
  readonly signal?: AbortSignal
  readonly sleeper?: Sleeper
}

/**
 * Events without a wait in between are played in runs of this many before other work of the process gets a
 * turn, and so a chance to abort.
 */
const RUN_LENGTH = 256

export async function replayEvents(
  events: readonly CassetteEvent[],
  replayDefault: string,
  options: ReplayOptions,
  sink: ReplaySink,
): Promise<void> {
  const mode = replayMode(options.mode ?? (replayDefault === '' ? 'collapsed' : replayDefault))
  const scale = replayScale(options.scale ?? 1)
  const sleep = options.sleeper ?? sleepOrAbort
  let before: number | null = null
  let run = 0
  for (const event of events) {
    throwIfAborted(options.signal)
    const delayMs = before === null ? 0 : delayOf(mode, event.tMs - before, scale)
    before = event.tMs
    if (delayMs > 0) {
      await sleep(delayMs, options.signal)
      run = 0
    } else if (++run >= RUN_LENGTH) {
      await new Promise<void>((resolve) => void realSetImmediate(resolve))
      run = 0
    }
    throwIfAborted(options.signal)
    await sink(event)
  }
}

function delayOf(mode: ReplayMode, gapMs: number, scale: number): number {
  switch (mode) {
    case 'collapsed':
      return 0
    case 'realtime':
      return gapMs
    case 'scaled':
      return gapMs * scale
    default:
      return unreachable(mode)
  }
}

export function replayMode(text: string): ReplayMode {
  const mode = REPLAY_MODES.find((known) => known === text)
  if (mode === undefined) {
    throw new RepriseError('cassette-replay-mode', `unknown replay mode "${text}"`, {
      details: { mode: text },
      hint: `one of ${REPLAY_MODES.join(', ')}`,
    })
  }
  return mode
}

function replayScale(scale: number): number {
  if (!Number.isFinite(scale) || scale <= 0) {
    throw new RepriseError('cassette-replay-scale', `replay scale ${scale} is not a finite number above 0`, {
      details: { scale },
      hint: '2 plays at half the speed, 0.5 at twice the speed; to wait for nothing choose the mode collapsed',
    })
  }
  return scale
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal)
}

function cancelled(signal: AbortSignal): RepriseError {
  return new RepriseError('cassette-replay-cancelled', 'the replay was cancelled', { cause: signal.reason })
}

/** Longest wait a timer can take; longer gaps are waited in parts. */
const MAX_TIMER_MS = 2 ** 31 - 1

export async function sleepOrAbort(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  for (let left = delayMs; left > 0; left -= MAX_TIMER_MS) {
    throwIfAborted(signal)
    await new Promise<void>((resolve, reject) => {
      const timer = realSetTimeout(done, Math.min(left, MAX_TIMER_MS))
      signal?.addEventListener('abort', abort, { once: true })
      function done(): void {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      function abort(): void {
        realClearTimeout(timer)
        if (signal !== undefined) reject(cancelled(signal))
      }
    })
  }
}
