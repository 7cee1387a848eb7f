/**
 * Which code is evaluated by a debugger's user: from `enter` to `leave`, and whatever that code continues later
 * (`await`, `then`, `queueMicrotask`), when the program itself runs again.
 *
 * A promise that such code makes never counts as unhandled: a refused call rejects, and that would end the program.
 *
 * Decision 0405.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { promiseHooks } from 'node:v8'

export type EvaluatedCode = {
  enter(): void
  leave(): void
  isRunning(): boolean
}

export function createEvaluatedCode(): EvaluatedCode {
  const storage = new AsyncLocalStorage<boolean>()
  let isEntered = false
  let isHandling = false
  const isRunning = (): boolean => isEntered || storage.getStore() === true
  // Async hooks start before the program: its first promises have a context, too.
  storage.enterWith(false)
  promiseHooks.onInit((promise: Promise<unknown>) => {
    if (isHandling || !isRunning()) return
    isHandling = true
    try {
      Reflect.apply(then, promise, [undefined, () => undefined])
    } finally {
      isHandling = false
    }
  })
  return {
    enter() {
      isEntered = true
      storage.enterWith(true)
    },
    leave() {
      isEntered = false
      storage.enterWith(false)
    },
    isRunning,
  }
}

/** Captured before the program can replace it. */
const { then } = Promise.prototype
