/** Whether Node may be loading a module for the program, captured before anything is patched. */
import { isMainThread } from 'node:worker_threads'

const activeResources = process.getActiveResourcesInfo.bind(process)

/**
 * Reads of files, and messages to the thread of a loader that the user has set. A worker of the program has a
 * port too, and a worker itself always has one.
 */
const LOADING = isMainThread ? /^(?:FSReq|MessagePort$)/ : /^FSReq/

export function mayBeLoading(): boolean {
  return activeResources().some((name) => LOADING.test(name))
}
