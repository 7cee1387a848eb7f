/** Whether Node may be loading a module for the program, captured before anything is patched. */
import { isMainThread } from 'node:worker_threads'

const activeResources = process.getActiveResourcesInfo.bind(process)

/**
 * Reads of files, and messages to the thread of a loader that the user has set. A worker of the program has a
 * port too, and a worker itself always has one.
 *
 * Made on first use: Node loads its streams with `worker_threads`, and `import 'reprise'` needs neither.
 */
let loading: RegExp | null = null

export function mayBeLoading(): boolean {
  loading ??= isMainThread ? /^(?:FSReq|MessagePort$)/ : /^FSReq/
  const pattern = loading
  return activeResources().some((name) => pattern.test(name))
}
