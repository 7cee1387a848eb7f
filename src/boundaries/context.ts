/**
 * Determines the session of a call: that of the running async context, or of the whole process, or none.
 *
 * Sessions are layers. A layer handles the boundaries that it captures; all other calls go to the layer
 * around it, and finally to the process. A layer that has ended is skipped wherever it is still current, so
 * that layers may end in any order.
 *
 * Reprise's own work, and real work that it starts, runs `outside`: patched functions then call the
 * originals, so that nothing that the recorder causes is recorded.
 *
 * Decision 0420.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { contextsNeedHooks, ignoreCallbacks, isMarked, runMarked, watchMarks } from '../real/async-marks.ts'
import { hasLoader, isLoadersCall, isReadByUndici } from './caller.ts'
import type { CrossingName } from './names.ts'
import type { AnyFunction } from './patches.ts'
import type { Session } from './session.ts'
import { isWrappersRead } from './wrapper-read.ts'

/**
 * The session that captures a boundary; undefined if this layer has none. Without a name: the session of the
 * layer.
 */
export type SessionFor = (boundary: CrossingName | undefined) => Session | undefined

type Layer = { readonly sessionFor: SessionFor; readonly outer: Layer | null; live: boolean }
type Context = { readonly layer: Layer | null; readonly isOutside: boolean }

const storage = new AsyncLocalStorage<Context | undefined>()
const OUTSIDE: Context = { layer: null, isOutside: true }
let ofProcess: Layer | null = null

/** The session of the running code for this boundary. Null means: behave as if nothing were patched. */
export function activeSession(boundary?: CrossingName): Session | null {
  const session = sessionHere(boundary)
  if (session === null || (isRead(boundary) && isWrappersRead(activeSession))) return null
  return hasLoader && isLoadersCall(activeSession) ? null : session
}

/**
 * The session of a read of the clock by `reader`, a patched function. Null also for reads of Node's bundled undici:
 * these are found first, because undici reads the clock at the end of each `fetch`.
 */
export function clockSession(reader: AnyFunction): Session | null {
  const session = sessionHere('clock')
  if (session === null || isReadByUndici(reader) || isWrappersRead(clockSession)) return null
  return hasLoader && isLoadersCall(clockSession) ? null : session
}

function sessionHere(boundary: CrossingName | undefined): Session | null {
  if (isMarking && isMarked()) return null
  const context = storage.getStore()
  if (context?.isOutside === true) return null
  return context === undefined
    ? sessionIn(ofProcess, boundary)
    : (sessionIn(context.layer, boundary) ?? sessionIn(ofProcess, boundary))
}

function isRead(boundary: CrossingName | undefined): boolean {
  return boundary === 'clock' || boundary === 'random' || boundary === 'env'
}

function sessionIn(first: Layer | null, boundary: CrossingName | undefined): Session | null {
  for (let layer = first; layer !== null; layer = layer.outer) {
    const session = layer.live ? layer.sessionFor(boundary) : undefined
    if (session !== undefined) return session
  }
  return null
}

/** Whether the running code is Reprise's own, or real work that it started. */
export function isOutside(): boolean {
  return (isMarking && isMarked()) || storage.getStore()?.isOutside === true
}

/** Whether the recorder's own work is marked without an async context. */
let isMarking = false

/**
 * From now on the recorder's own work needs no async context, where one would slow down the program. For a
 * whole process: its session is one variable.
 */
export function markOwnWork(): void {
  if (!contextsNeedHooks) return
  isMarking = true
  watchMarks()
}

/** Whether new work is marked by an async context again. */
let needsContext = false

/**
 * For a program whose promises are settled by tasks of V8, which report no callback: by the thread of module
 * hooks (`Atomics.waitAsync`). From now on own work is marked by an async context.
 */
export function markByContext(): void {
  needsContext = true
  ignoreCallbacks()
}

/** Whether work is identified by marks and turns, without an async context. */
export function marksOwnWork(): boolean {
  return isMarking && !needsContext
}

/** Runs `body` so that neither it nor anything that it starts counts as the program's. */
export function outside<T>(body: () => T): T {
  return isMarking && !needsContext ? runMarked(body) : storage.run(OUTSIDE, body)
}

/**
 * The same for code of others that goes on by promises which are settled at once: such a continuation runs
 * among those of the program, and only an async context separates them.
 */
export function outsideWithContext<T>(body: () => T): T {
  return storage.run(OUTSIDE, body)
}

export function runInSession<T>(session: Session, body: () => T): T {
  return storage.run(
    { layer: { sessionFor: () => session, outer: liveLayer(), live: true }, isOutside: false },
    body,
  )
}

/** A layer that is active until it is disposed of. */
export type EnteredLayer = Disposable & {
  /** Runs `body` in this layer, whatever the context of the caller. */
  run<T>(body: () => T): T
}

/**
 * Adds a layer to the running async context and to everything that it starts from now on. Call it in the
 * synchronous part of what its caller awaits: then the caller's own caller is in the layer too, until it
 * ends.
 */
export function enterLayer(sessionFor: SessionFor): EnteredLayer {
  const layer: Layer = { sessionFor, outer: liveLayer(), live: true }
  const context: Context = { layer, isOutside: false }
  storage.enterWith(context)
  return {
    run: (body) => storage.run(context, body),
    [Symbol.dispose]() {
      layer.live = false
      // Also drops the reference in contexts where this layer is current, so that a finished run is not kept
      // in memory.
      if (storage.getStore() === context)
        storage.enterWith(layer.outer === null ? undefined : { layer: layer.outer, isOutside: false })
    },
  }
}

/** Adds a layer to all code that has no other one: the whole program under `reprise record`. */
export function layerOfProcess(sessionFor: SessionFor): EnteredLayer {
  const layer: Layer = { sessionFor, outer: ofProcess, live: true }
  ofProcess = layer
  return {
    run: (body) => storage.run({ layer, isOutside: false }, body),
    [Symbol.dispose]() {
      layer.live = false
      while (ofProcess !== null && !ofProcess.live) ofProcess = ofProcess.outer
    },
  }
}

export function sessionOfProcess(session: Session): Disposable {
  return layerOfProcess(() => session)
}

function liveLayer(): Layer | null {
  let layer = storage.getStore()?.layer ?? null
  while (layer !== null && !layer.live) layer = layer.outer
  return layer
}
