/**
 * Calls back once, at the very end of this process: after every `exit` listener of the program, or when a signal is about to kill it.
 *
 * A signal that the program listens to is the program's. One that nobody listens to would end the process on the spot, and the tape with it: it is
 * caught, the end is written, and the process then dies by that very signal.
 */
import { installPatches, patchFunction } from '../boundaries/patches.ts'
import { dieBy, realProcess } from '../real/program.ts'

export type ProcessEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

const DEADLY: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

export function onProcessEnd(finish: (end: ProcessEnd) => void): void {
  let finished = false
  const once = (end: ProcessEnd): void => {
    if (finished) return
    finished = true
    finish(end)
  }
  installPatches([
    patchFunction(realProcess, 'emit', (original) => {
      return function (this: unknown, event: unknown, ...args: unknown[]): unknown {
        const handled: unknown = Reflect.apply(original, this, [event, ...args])
        if (event === 'exit') once({ code: exitCode(args[0]), signal: null })
        return handled
      }
    }),
  ])
  for (const signal of DEADLY) {
    const listener = (): void => {
      if (realProcess.listenerCount(signal) > 1) return
      once({ code: null, signal })
      realProcess.removeListener(signal, listener)
      dieBy(signal)
    }
    realProcess.on(signal, listener)
  }
}

/** A listener may have changed it while the event went round. */
function exitCode(emitted: unknown): number {
  const { exitCode: current } = realProcess
  return typeof current === 'number' ? current : typeof emitted === 'number' ? emitted : 0
}
