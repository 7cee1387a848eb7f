/**
 * Reports what changed in a session, key by key, in the order of detection. Every lasting change is reported;
 * of several quick changes to one key possibly only the last.
 *
 * A driver only hints that something may have changed; what did is found by comparing versions. So a change
 * made past the driver is found too, at the next look, at the latest after `POLL_MS`.
 */
import { compareUtf8 } from '../base/index.ts'
import { realClearTimeout, realSetTimeout } from '../real/index.ts'
import type { StateDriver } from './contract.ts'
import type { Version } from './version.ts'

export type StateChange = {
  readonly key: string
  /** Null: the key was deleted. */
  readonly version: Version | null
}

export type Watch = AsyncIterable<StateChange> & Disposable & { close(): void }

export const POLL_MS = 1000

export async function watchSession(
  driver: StateDriver,
  session: string,
  wanted: (key: string) => boolean,
): Promise<Watch> {
  const waiting: StateChange[] = []
  let known = await driver.versions(session)
  let wake: (() => void) | null = null
  let failure: unknown = null
  let closed = false
  let looking = false
  let again = false
  let timer: ReturnType<typeof realSetTimeout> | undefined

  const look = async (): Promise<void> => {
    again = true
    if (looking) return
    looking = true
    while (again && !closed) {
      again = false
      try {
        const versions = await driver.versions(session)
        waiting.push(...changesBetween(known, versions).filter((change) => wanted(change.key)))
        known = versions
      } catch (error) {
        failure = error
      }
    }
    looking = false
    if (waiting.length > 0 || failure !== null) wake?.()
  }
  const poll = (): void => {
    timer = realSetTimeout(() => void look().then(() => (closed ? undefined : poll())), POLL_MS)
    timer.unref()
  }
  const hints = driver.onHint(session, () => void look())
  if (driver.hintsAll !== true) poll()
  // What changed between the first look and the first hint.
  void look()

  const close = (): void => {
    closed = true
    hints[Symbol.dispose]()
    realClearTimeout(timer)
    wake?.()
  }
  return {
    close,
    [Symbol.dispose]: close,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const change = waiting.shift()
          if (change !== undefined) yield change
          else if (failure !== null) throw failure
          else if (closed) return
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        close()
      }
    },
  }
}

function changesBetween(
  before: ReadonlyMap<string, Version>,
  after: ReadonlyMap<string, Version>,
): readonly StateChange[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort(compareUtf8)
  return keys.flatMap((key) =>
    before.get(key) === after.get(key) ? [] : [{ key, version: after.get(key) ?? null }],
  )
}
