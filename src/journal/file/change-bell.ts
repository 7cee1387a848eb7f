/**
 * A bell that rings when something in a folder changes, when its signal fires, or at the latest after half a
 * second.
 */
import { fs, realClearTimeout, realSetTimeout } from '../../real/index.ts'

const SLOW_CLOCK_MS = 500

export type ChangeBell = {
  /** Resolves at the next ring after this call. */
  armed(): Promise<void>
  close(): void
}

export function ringOnChange(dir: string, signal: AbortSignal | undefined): ChangeBell {
  let ring: () => void = () => undefined
  let watcher: ReturnType<typeof fs.watch> | null = null
  const onAbort = (): void => ring()
  signal?.addEventListener('abort', onAbort)
  const watch = (): void => {
    if (watcher !== null || !fs.existsSync(dir)) return
    try {
      watcher = fs.watch(dir, () => ring())
      watcher.on('error', () => {
        watcher?.close()
        watcher = null
      })
    } catch {
      // No notifications here (too many watches, a network file system): the slow clock does it alone.
      watcher = null
    }
  }
  return {
    armed() {
      watch()
      return new Promise((resolve) => {
        const clock = realSetTimeout(() => ring(), SLOW_CLOCK_MS)
        ring = () => {
          realClearTimeout(clock)
          resolve()
        }
        if (signal?.aborted === true) ring()
      })
    },
    close() {
      ring()
      signal?.removeEventListener('abort', onAbort)
      watcher?.close()
    },
  }
}
