/**
 * The functions of `node:child_process` as a program calls them. Node's own code runs, except for two things
 * that it captured before our patches: the timer of `timeout`, which is an effect of the clock here, and the
 * environment, which it reads for the child and not for the program.
 */
import { promisify } from 'node:util'
import { label } from '../../base/index.ts'
import { childProcessOwners } from '../../real/child-process-owners.ts'
import { realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { isWalled } from '../../real/walled.ts'
import { activeSession, outside } from '../context.ts'
import { readForNode } from '../env/process-env.ts'
import { withoutOwnFrames } from '../own-frames.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { handleOf } from './spawn.ts'
import { SYNC_NAMES, walledSyncFunction } from './sync-functions.ts'

type Child = {
  kill(signal?: unknown): boolean
  emit(event: string, ...args: unknown[]): boolean
  stdout?: Stream | null
  stderr?: Stream | null
}
type Stream = { destroy(): unknown }
type Options = { readonly timeout?: unknown; readonly killSignal?: unknown }

const CLOCK = label('clock')
const PROCESS = label('process')

export function functionPatches(): Patch[] {
  const { childProcess } = childProcessOwners
  const { spawn, spawnSync } = childProcess
  return [
    patchFunction(childProcess, 'spawn', (original) => withTimeout(original, endSpawned)),
    patchFunction(childProcess, 'execFile', (original) => withPromise(withTimeout(original, endExecuted))),
    // Looks `execFile` up when it is called.
    patchFunction(childProcess, 'exec', (original) => withPromise(forNode(original))),
    patchFunction(childProcess, 'fork', forNode),
    ...SYNC_NAMES.map((name) =>
      patchFunction(childProcess, name, (original) =>
        forNode(isWalled ? walledSyncFunction(name, original, { spawn, spawnSync }) : original),
      ),
    ),
  ]
}

function forNode(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('process')
    if (session === null) return Reflect.apply(original, this, args)
    try {
      const value: unknown = readForNode(session.isLive(PROCESS), () => Reflect.apply(original, this, args))
      // For `spawnSync`.
      if (typeof value === 'object' && value !== null && 'status' in value && 'error' in value)
        withoutOwnFrames(value.error)
      return value
    } catch (error) {
      withoutOwnFrames(error)
      throw error
    }
  }
}

/**
 * `util.promisify` of `exec` and `execFile` is made for the original; this is the same for the replacement.
 */
function withPromise(made: AnyFunction): AnyFunction {
  const promised = (...args: unknown[]): unknown => {
    let child: unknown
    const promise = new Promise((resolve, reject) => {
      child = made(...args, (error: Error | null, stdout: unknown, stderr: unknown) => {
        if (error === null) resolve({ stdout, stderr })
        else reject(Object.assign(error, { stdout, stderr }))
      })
    })
    return Object.assign(promise, { child })
  }
  Object.defineProperty(made, promisify.custom, { value: promised, enumerable: false })
  return made
}

type End = (child: Child, killSignal: unknown) => void

function withTimeout(original: AnyFunction, end: End): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('process')
    if (session === null) return Reflect.apply(original, this, args)
    const at = args.findIndex((argument, place) => place > 0 && isOptions(argument))
    const options: Options = at < 0 ? {} : (args[at] as Options)
    const { timeout, killSignal } = options
    // Node rejects anything else with its own message, or it means no timeout.
    if (typeof timeout !== 'number' || !Number.isInteger(timeout) || timeout <= 0)
      return readForNode(session.isLive(PROCESS), () => Reflect.apply(original, this, args))
    let timedOut = false
    const untimed = args
      .with(at, { ...options, timeout: 0 })
      .map((argument) =>
        typeof argument === 'function' ? withTimeoutError(argument as AnyFunction, () => timedOut) : argument,
      )
    const child = readForNode(session.isLive(PROCESS), () => Reflect.apply(original, this, untimed)) as Child
    const clear = startTimer(session, timeout, () => {
      timedOut = true
      end(child, killSignal)
    })
    handleOf(child)?.onOver(clear)
    return child
  }
}

/** Node sets `killed` on a child that it has tried to kill, even if the child had already ended. */
function withTimeoutError(callback: AnyFunction, timedOut: () => boolean): AnyFunction {
  return function (this: unknown, ...results: unknown[]): unknown {
    const [error] = results
    if (timedOut() && error instanceof Error && 'killed' in error) error.killed = true
    return Reflect.apply(callback, this, results)
  }
}

function endSpawned(child: Child, killSignal: unknown): void {
  try {
    child.kill(killSignal ?? undefined)
  } catch (error) {
    child.emit('error', error)
  }
}

function endExecuted(child: Child, killSignal: unknown): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
  endSpawned(child, killSignal)
}

function startTimer(session: Session, ms: number, expired: () => void): () => void {
  let timer: NodeJS.Timeout | null = null
  const effect = session.start(CLOCK, `child_process timeout ${ms}`, () => {
    effect.close()
    expired()
  })
  if (effect.isLive) timer = outside(() => realSetTimeout(() => effect.arrive({ type: 'timer' }), ms))
  return () => {
    if (timer !== null) realClearTimeout(timer)
    effect.close()
  }
}

function isOptions(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
