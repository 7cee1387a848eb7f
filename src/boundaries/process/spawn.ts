/**
 * Installs our handle under every `ChildProcess` that a session starts. `spawn`, `exec`, `execFile`, `fork`
 * and a `ChildProcess` that the program creates directly all end in `ChildProcess.prototype.spawn`.
 *
 * What a loader starts to compile the program's modules (esbuild, for tsx) is part of loading the program,
 * and passes.
 */

import { listOf } from '../../base/index.ts'
import type { ProcessHandle } from '../../real/child-handles.ts'
import { childProcessOwners } from '../../real/child-process-owners.ts'
import { isLoadersCall } from '../caller.ts'
import { activeSession, outside } from '../context.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { ChildHandle } from './child-handle.ts'
import { envOf, handOverTo, pairsOf } from './launched-child.ts'
import { takeLent } from './lent-streams.ts'

type ChildProcess = { _handle: ProcessHandle | null; emit(event: string, error: Error): boolean }

/** By the `ChildProcess` above them. */
const handles = new WeakMap<object, ChildHandle>()

export function spawnPatch(): Patch {
  return patchFunction(childProcessOwners.childPrototype, 'spawn', (original) => {
    const spawn = function (this: ChildProcess, options: unknown): unknown {
      const session = activeSession('process')
      const native = this._handle
      if (session === null || native === null) return Reflect.apply(original, this, [options])
      if (isLoadersCall(spawn as AnyFunction)) return outside(() => Reflect.apply(original, this, [options]))
      const claimed = claimedBy(session, options)
      if (claimed !== null) return outside(() => Reflect.apply(original, this, [claimed]))
      const handle = new ChildHandle(
        session,
        this,
        native,
        typeof options === 'object' && options !== null ? takeLent(options) : new Map(),
      )
      handles.set(this, handle)
      this._handle = handle
      return Reflect.apply(original, this, [options])
    }
    return spawn
  })
}

/** The same options for a child that takes the tape over; null for any other. */
function claimedBy(session: Session, options: unknown): object | null {
  if (typeof options !== 'object' || options === null) return null
  const { file, args, cwd, envPairs, stdio }: SpawnOptions = options
  const started = {
    file: String(file),
    args: listOf(args).map(String),
    cwd: typeof cwd === 'string' ? cwd : null,
    env: envOf(listOf(envPairs).map(String)),
  }
  const streams = stdio === 'inherit' ? ['inherit', 'inherit', 'inherit'] : listOf(stdio)
  const env = handOverTo(session, started, streams)
  return env === null ? null : { ...options, envPairs: pairsOf(env) }
}

type SpawnOptions = {
  readonly file?: unknown
  readonly args?: unknown
  readonly cwd?: unknown
  readonly envPairs?: unknown
  readonly stdio?: unknown
}

export function handleOf(child: object): ChildHandle | null {
  return handles.get(child) ?? null
}
