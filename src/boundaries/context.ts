/**
 * Whose call is it? The session of the async context that is running, or of the whole process, or none.
 *
 * Sessions lie over each other in layers. A layer answers for the boundaries that it captures; what it does
 * not capture is the business of the layer around it, and in the end of the process. A layer that has ended
 * is stepped over wherever it is still current, so that layers may end in any order.
 *
 * Reprise's own work (and the real world's, which it starts) runs `outside`: patched functions then do what
 * the originals do, so nothing that the recorder causes is recorded.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isLoadersCall } from './caller.ts'
import type { CrossingName } from './names.ts'
import type { Session } from './session.ts'

/**
 * Which session captures a boundary; undefined for none of this layer's. Without a name: the session of the
 * layer.
 */
export type SessionFor = (boundary: CrossingName | undefined) => Session | undefined

type Layer = { readonly sessionFor: SessionFor; readonly outer: Layer | null; live: boolean }
type Context = { readonly layer: Layer | null; readonly isOutside: boolean }

const storage = new AsyncLocalStorage<Context | undefined>()
const OUTSIDE: Context = { layer: null, isOutside: true }
let ofProcess: Layer | null = null

/**
 * The session that the running code belongs to, as far as this boundary goes; null means: behave as if
 * nothing were patched.
 */
export function activeSession(boundary?: CrossingName): Session | null {
  const context = storage.getStore()
  if (context?.isOutside === true) return null
  const session =
    context === undefined
      ? sessionIn(ofProcess, boundary)
      : (sessionIn(context.layer, boundary) ?? sessionIn(ofProcess, boundary))
  return session !== null && isLoadersCall(activeSession) ? null : session
}

function sessionIn(first: Layer | null, boundary: CrossingName | undefined): Session | null {
  for (let layer = first; layer !== null; layer = layer.outer) {
    const session = layer.live ? layer.sessionFor(boundary) : undefined
    if (session !== undefined) return session
  }
  return null
}

/** Whether the running code is Reprise's own, or the real world's that it started. */
export function isOutside(): boolean {
  return storage.getStore()?.isOutside === true
}

/** Runs `body` so that nothing in it, nor in what it starts, is seen as the program's. */
export function outside<T>(body: () => T): T {
  return storage.run(OUTSIDE, body)
}

export function runInSession<T>(session: Session, body: () => T): T {
  return storage.run(
    { layer: { sessionFor: () => session, outer: liveLayer(), live: true }, isOutside: false },
    body,
  )
}

/** A layer that is in force until it is disposed of. */
export type EnteredLayer = Disposable & {
  /** Runs `body` in this layer, whichever context calls. */
  run<T>(body: () => T): T
}

/**
 * Puts a layer over the async context that is running, and what it starts from here on. Must be called in the
 * synchronous part of what its caller awaits; entered there it is seen by that caller's own caller too, until
 * it ends.
 */
export function enterLayer(sessionFor: SessionFor): EnteredLayer {
  const layer: Layer = { sessionFor, outer: liveLayer(), live: true }
  const context: Context = { layer, isOutside: false }
  storage.enterWith(context)
  return {
    run: (body) => storage.run(context, body),
    [Symbol.dispose]() {
      layer.live = false
      // Also drops the reference where this layer is current, so that nothing of a finished run is kept alive
      // here.
      if (storage.getStore() === context)
        storage.enterWith(layer.outer === null ? undefined : { layer: layer.outer, isOutside: false })
    },
  }
}

/** Puts a layer over all code that has no other one: the whole program under `reprise record`. */
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
