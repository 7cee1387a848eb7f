/**
 * Small plain files that a recorded program reads asynchronously are read synchronously: for those a trip
 * through the thread pool costs several times more than the read. The program gets the result as many turns
 * later as Node's own read takes trips, so that calls started in the meantime come first.
 *
 * Only small files that certainly exist are read like this. A file that is missing, large, not plain or not
 * readable goes the normal way, and fails with the normal error. A slow disk is left to the thread pool for a
 * while: the thread of the program must not wait for it.
 *
 * Decision 0210.
 */
import { monotonicMs, realSetImmediate } from '../../real/clock.ts'
import { plainFileSize, realFiles } from '../../real/files.ts'

/** The part of a call that this file needs. */
export type ReadCall = {
  readonly name: string
  readonly isSimple?: boolean
  readonly args: readonly unknown[]
}

export type QuickReads = {
  /** Whether this call is handled here: then `done` receives the value once, in a later turn. */
  takes(call: ReadCall, done: (error: null, value: unknown) => void): boolean
}

/**
 * The options of a call that reads text. One object for all: Node creates a new one from a bare `utf8`, which
 * costs as much as a short read.
 */
export const AS_TEXT: Readonly<{ encoding: 'utf8'; flag: 'r' }> = { encoding: 'utf8', flag: 'r' }

const MAX_BYTES = 64 * 1024
/** `open`, `stat`, `read`, `close`. */
const TRIPS = 4
const SLOW_MS = 0.4
/** After this many slow reads in a row, this many go the normal way. */
const SLOW_IN_A_ROW = 3
const READS_SKIPPED = 1000

type Waiting = {
  readonly due: number
  readonly value: unknown
  readonly done: (error: null, value: unknown) => void
}

/** Called, and calls back, outside the program's context. `read` returns null for what it does not read. */
export function createQuickReads(
  read: (args: readonly unknown[]) => unknown = readSmall,
  clock: () => number = monotonicMs,
): QuickReads {
  let waiting: Waiting[] = []
  let turn = 0
  let slow = 0
  let skipped = 0
  let isArmed = false

  const arm = (): void => {
    isArmed = true
    realSetImmediate(next)
  }

  const next = (): void => {
    isArmed = false
    turn += 1
    const due = waiting.filter((each) => each.due <= turn)
    if (due.length > 0) waiting = waiting.slice(due.length)
    if (waiting.length > 0) arm()
    for (const { done, value } of due) done(null, value)
  }

  const tryRead = (args: readonly unknown[]): unknown => {
    const began = clock()
    try {
      return read(args)
    } catch {
      // Missing, or not readable: the normal way has the right error.
      return null
    } finally {
      slow = clock() - began > SLOW_MS ? slow + 1 : 0
      if (slow === SLOW_IN_A_ROW) skipped = READS_SKIPPED
      slow %= SLOW_IN_A_ROW
    }
  }

  return {
    takes(call, done) {
      if (call.name !== 'readFile' || call.isSimple !== true || typeof call.args[0] !== 'string') return false
      // A flag of the program's own.
      if (call.args.length > 1 && call.args[1] !== AS_TEXT) return false
      if (skipped > 0) {
        skipped -= 1
        return false
      }
      const value = tryRead(call.args)
      if (value === null) return false
      waiting.push({ due: turn + TRIPS, value, done })
      if (!isArmed) arm()
      return true
    },
  }
}

function readSmall(args: readonly unknown[]): unknown {
  const size = plainFileSize(String(args[0]))
  // Files of the kernel report size 0, but have content.
  return size === null || size === 0 || size > MAX_BYTES ? null : realFiles.readFileSync?.(...args)
}
