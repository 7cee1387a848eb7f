/**
 * Marks what a piece of work starts, without promise hooks.
 *
 * A mark is put on the async resource that runs, and on each one that is made while a marked one runs: ticks,
 * timers, sockets, requests of the file system. Promises carry none. Node calls their continuations after a callback of the
 * event loop: they count as marked if that callback was.
 *
 * Decision 0420.
 */
import {
  AsyncLocalStorage,
  AsyncResource,
  createHook,
  executionAsyncId,
  executionAsyncResource,
} from 'node:async_hooks'
import v8 from 'node:v8'

/** Whether an async context turns on promise hooks for the process, which slow down every `await`. */
export const contextsNeedHooks = 'kResourceStore' in new AsyncLocalStorage()

const MARK = Symbol('reprise.mark')
type Marked = { [MARK]?: typeof NEUTRAL | typeof STEP | typeof CALLBACK }
/** Not marked, and run inside of callbacks of others. */
const NEUTRAL = 0
/** Marked; does not begin a callback of the event loop, or may run inside of one. */
const STEP = 1
/** Marked; begins a callback of the event loop. */
const CALLBACK = 2
const STEPS = new Set(['TickObject', 'Microtask', 'PROMISE'])

/** The id of the resource that runs the body of `runMarked`. Reading an id is faster than finding its resource. */
let scope: number | null = null
/** The resource that was checked last, by its id, and its mark: a mark is put on when a resource is made, never later. */
let checkedId = 0
let checkedMark: Marked[typeof MARK]
/** Whether the last callback of the event loop was marked. */
let isCallbackMarked = false
/** Callbacks that run now, one inside of the other. Node does not report the end of one that throws. */
let depth = 0

let usesCallbacks = true

/** From now on continuations of promises are not marked. */
export function ignoreCallbacks(): void {
  usesCallbacks = false
}

export function isMarked(): boolean {
  const id = executionAsyncId()
  if (id === scope) return true
  // Continuations of promises run without a resource.
  if (id === 0) return isCallbackMarked && usesCallbacks
  const mark = markOf(id)
  return mark !== undefined && mark !== NEUTRAL
}

/** The mark of the resource that runs now. */
function markOf(id: number): Marked[typeof MARK] {
  if (id !== checkedId) {
    checkedId = id
    checkedMark = (executionAsyncResource() as Marked)[MARK]
  }
  return checkedMark
}

export function runMarked<T>(body: () => T): T {
  const before = scope
  scope = executionAsyncId()
  try {
    return body()
  } finally {
    scope = before
  }
}

/** What follows was not started by a callback of the event loop: an event of the process. */
export function endCallback(): void {
  isCallbackMarked = false
  depth = 0
}

/** A callback of the event loop that is not marked has begun. */
export function beginCallback(): void {
  isCallbackMarked = false
  depth = 1
}

let isWatching = false

export function watchMarks(): void {
  if (isWatching) return
  isWatching = true
  const hook = createHook({
    init(_id, type, _trigger, resource: Marked) {
      if (isMarked()) resource[MARK] = STEPS.has(type) || resource instanceof AsyncResource ? STEP : CALLBACK
      else if (resource instanceof AsyncResource) resource[MARK] = NEUTRAL
    },
    before(id) {
      depth += 1
      if (depth > 1 || scope !== null) return
      const mark = markOf(id)
      if (mark === undefined) isCallbackMarked = false
      else if (mark === CALLBACK) isCallbackMarked = true
    },
    after() {
      if (depth > 0) depth -= 1
    },
  })
  withoutPromiseHooks(() => hook.enable())
}

/**
 * Node adds promise hooks to every async hook, by this function. It adds them again when a program makes an
 * async context of its own.
 */
function withoutPromiseHooks(body: () => void): void {
  const { promiseHooks } = v8
  const original = Object.getOwnPropertyDescriptor(promiseHooks, 'createHook')
  if (original?.configurable !== true) {
    body()
    return
  }
  Object.defineProperty(promiseHooks, 'createHook', { ...original, value: () => () => undefined })
  try {
    body()
  } finally {
    Object.defineProperty(promiseHooks, 'createHook', original)
  }
}
