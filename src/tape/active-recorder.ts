/**
 * Which recorder, and which phase, holds for the code that is running now. Follows the async context:
 * concurrent runs have a recorder each.
 *
 * Guards restore on dispose, in any order: a disposed scope is stepped over wherever it is still the current
 * one. A guard opened in the synchronous part of an async function is seen by its caller too until it is
 * disposed; `runWithRecorder` has no such edge.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Scrubbed } from '../scrub/index.ts'
import type { RecordKind } from './kinds.ts'
import type { Phase } from './record.ts'
import type { TapeRecorder } from './tape-recorder.ts'

type Scope = {
  readonly recorder: TapeRecorder
  readonly phase: Phase
  readonly parent: Scope | undefined
  live: boolean
}

const storage = new AsyncLocalStorage<Scope | undefined>()

/**
 * Makes `recorder` the active one from here on, in this async context and what it starts, until the guard is
 * disposed.
 */
export function installRecorder(recorder: TapeRecorder): Disposable {
  return enter({ recorder, phase: 'user_script', parent: liveScope(), live: true })
}

/** Runs `body` with `recorder` active, and nothing outside it. */
export function runWithRecorder<T>(recorder: TapeRecorder, body: () => T): T {
  return storage.run({ recorder, phase: 'user_script', parent: undefined, live: true }, body)
}

export function activeRecorder(): TapeRecorder | null {
  return liveScope()?.recorder ?? null
}

/**
 * Records what `build` gives, if a recorder is active; else `build` is not even called. Null records nothing.
 */
export function withActiveRecorder(build: (recorder: TapeRecorder) => Scrubbed<RecordKind> | null): void {
  const scope = storage.getStore()
  if (scope === undefined) return
  const recorder = liveScope()?.recorder
  if (recorder === undefined) return
  const kind = build(recorder)
  if (kind !== null) recorder.record(kind)
}

/** Stamps records with `phase` until the guard is disposed; null when nothing is being recorded. */
export function enterPhase(phase: Phase): Disposable | null {
  const scope = liveScope()
  return scope === undefined ? null : enter({ recorder: scope.recorder, phase, parent: scope, live: true })
}

export function currentPhase(): Phase {
  return liveScope()?.phase ?? 'user_script'
}

function liveScope(): Scope | undefined {
  let scope = storage.getStore()
  while (scope !== undefined && !scope.live) scope = scope.parent
  return scope
}

function enter(scope: Scope): Disposable {
  storage.enterWith(scope)
  return {
    [Symbol.dispose]() {
      scope.live = false
      // Also drops the reference where this scope is current, so that nothing of a finished run is kept alive
      // here.
      if (storage.getStore() === scope) storage.enterWith(scope.parent)
    },
  }
}
