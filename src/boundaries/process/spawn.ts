/**
 * Puts a handle of ours under every `ChildProcess` that a session starts. `spawn`, `exec`, `execFile`, `fork` and a `ChildProcess` that is used by
 * itself all end in `ChildProcess.prototype.spawn`.
 *
 * What a loader starts to compile the program's modules (esbuild, for tsx) is the program's own loading, and passes.
 */

import type { ProcessHandle } from '../../real/child-handles.ts'
import { childProcessOwners } from '../../real/child-process-owners.ts'
import { activeSession, outside } from '../context.ts'
import { isLoadersCall } from '../loader-calls.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import { ChildHandle } from './child-handle.ts'
import { takeLent } from './lent-streams.ts'

type ChildProcess = { _handle: ProcessHandle | null; emit(event: string, error: Error): boolean }

/** By the `ChildProcess` that they stand under. */
const handles = new WeakMap<object, ChildHandle>()

export function spawnPatch(): Patch {
  return patchFunction(childProcessOwners.childPrototype, 'spawn', (original) => {
    const spawn = function (this: ChildProcess, options: unknown): unknown {
      const session = activeSession('process')
      const native = this._handle
      if (session === null || native === null) return Reflect.apply(original, this, [options])
      if (isLoadersCall(spawn as AnyFunction)) return outside(() => Reflect.apply(original, this, [options]))
      const handle = new ChildHandle(session, this, native, typeof options === 'object' && options !== null ? takeLent(options) : new Map())
      handles.set(this, handle)
      this._handle = handle
      return Reflect.apply(original, this, [options])
    }
    return spawn
  })
}

export function handleOf(child: object): ChildHandle | null {
  return handles.get(child) ?? null
}
