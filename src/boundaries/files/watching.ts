/**
 * Watched files: `watch`, `watchFile`, `promises.watch`. One effect each, which lasts until it is closed.
 * Every event is an outcome, recorded when it arrives and delivered again at its position.
 */
import { EventEmitter } from 'node:events'
import { type Json, label } from '../../base/index.ts'
import { realFiles, realTick } from '../../real/files.ts'
import { outside } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { failureFacts, failureFrom, type Names } from './call-errors.ts'
import { abortError, callAtOnce, FILESYSTEM } from './calls.ts'
import { describeCall, isCapturedFile, namedFile, namesOf, optionOf } from './described.ts'
import { filesOf } from './files-of-session.ts'
import type { NamedFile } from './portable-paths.ts'
import { nameFrom, nameJson, statsFrom, statsJson } from './shapes.ts'
import { signalOf } from './whole-file.ts'

type RealWatcher = EventEmitter & { close(): void }

/** The file and the session of a watching call; null for the original. */
function watched(session: Session, path: unknown, callee: AnyFunction): NamedFile | null {
  const files = filesOf(session)
  const file = namedFile(files, path)
  return file === null || !isCapturedFile(files, file, false, callee) ? null : file
}

class FSWatcher extends EventEmitter {
  readonly #effect: Effect
  readonly #stop: () => void
  #closed = false

  constructor(session: Session, file: NamedFile, options: unknown, real: RealWatcher | null) {
    super()
    const names = namesOf(filesOf(session), file)
    this.#effect = session.start(
      FILESYSTEM,
      `watch ${file.portable}`,
      (outcome) => this.#receive(outcome, names),
      {
        ref: optionOf(options, 'persistent') !== false,
      },
    )
    this.#stop = () => outside(() => real?.close())
    outside(() => {
      real?.on('change', (type: string, name: unknown) =>
        this.#effect.arrive(event('watch', file, { type, name: nameJson(name) })),
      )
      real?.on('error', (error: Error) =>
        this.#effect.arrive({
          type: 'fs_call',
          call: label('watch'),
          path: file.portable,
          result: null,
          error: failureFacts(error, names),
        }),
      )
    })
  }

  #receive(outcome: Outcome, names: Names): void {
    if (outcome.type !== 'fs_call' || this.#closed) return
    if (outcome.error !== null) {
      this.emit('error', failureFrom(outcome.error, names, null))
      return
    }
    const { type, name } = fields(outcome.result)
    this.emit('change', type, name === null || name === undefined ? null : nameFrom(name))
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#stop()
    this.#effect.close()
    realTick(() => this.emit('close'))
  }

  ref(): this {
    this.#effect.setRef(true)
    return this
  }

  unref(): this {
    this.#effect.setRef(false)
    return this
  }
}

Object.defineProperty(FSWatcher, 'name', { value: 'FSWatcher' })

/** Fails at once, as Node's does, if there is nothing to watch. */
export function watchFor(session: Session, args: readonly unknown[], callee: AnyFunction): FSWatcher | null {
  const [path, second, third] = args
  const file = watched(session, path, callee)
  if (file === null) return null
  const options = typeof second === 'function' ? undefined : second
  const listener = typeof second === 'function' ? second : third
  let real: RealWatcher | null = null
  const call = describeCall(filesOf(session), 'watch', [file], [path, options])
  callAtOnce(
    session,
    call,
    (given) => {
      real = outside(() => realFiles.watch?.(...given))
    },
    callee,
  )
  const watcher = new FSWatcher(session, file, options, real)
  if (typeof listener === 'function') watcher.on('change', listener as AnyFunction)
  const signal = signalOf(options)
  signal?.addEventListener('abort', () => watcher.close(), { once: true })
  if (signal?.aborted === true) watcher.close()
  return watcher
}

type StatWatch = {
  readonly effect: Effect
  readonly watcher: EventEmitter
  readonly onChange: AnyFunction | null
}

const statWatches = sessionField(() => new Map<string, StatWatch>())

export function watchFileFor(
  session: Session,
  args: readonly unknown[],
  callee: AnyFunction,
): EventEmitter | null {
  const [path, second, third] = args
  const listener = (typeof second === 'function' ? second : third) as AnyFunction | undefined
  const file = watched(session, path, callee)
  if (file === null || typeof listener !== 'function') return null
  const options = typeof second === 'object' && second !== null ? second : {}
  const all = statWatches.get(session)
  const known = all.get(file.absolute)
  if (known !== undefined) return known.watcher.on('change', listener)
  const watcher: EventEmitter = Object.assign(new EventEmitter(), {
    ref: () => watcher,
    unref: () => watcher,
    stop: () => unwatchFileFor(session, [path]),
  })
  const receive = (outcome: Outcome): void => {
    if (outcome.type !== 'fs_call') return
    const { now, before } = fields(outcome.result)
    watcher.emit('change', statsFrom(now ?? null), statsFrom(before ?? null))
  }
  const effect = session.start(FILESYSTEM, `watchFile ${file.portable}`, receive, {
    ref: optionOf(options, 'persistent') !== false,
  })
  const onChange = effect.isLive
    ? (now: unknown, before: unknown): void =>
        effect.arrive(event('watchFile', file, { now: statsJson(now), before: statsJson(before) }))
    : null
  if (onChange !== null) outside(() => realFiles.watchFile?.(file.absolute, options, onChange))
  all.set(file.absolute, { effect, watcher, onChange })
  return watcher.on('change', listener)
}

/** True if it belonged to this session. */
export function unwatchFileFor(session: Session, args: readonly unknown[]): boolean {
  const file = namedFile(filesOf(session), args[0])
  const all = statWatches.get(session)
  const known = file === null ? undefined : all.get(file.absolute)
  if (file === null || known === undefined) return false
  if (typeof args[1] === 'function') known.watcher.off('change', args[1] as AnyFunction)
  else known.watcher.removeAllListeners('change')
  if (known.watcher.listenerCount('change') > 0) return true
  all.delete(file.absolute)
  known.effect.close()
  const { onChange } = known
  if (onChange !== null) outside(() => realFiles.unwatchFile?.(file.absolute, onChange))
  return true
}

/** The events of a watcher, one by one, for `for await`. */
export async function* watchedEvents(
  watcher: FSWatcher,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ eventType: string; filename: unknown }> {
  const waiting: { eventType: string; filename: unknown }[] = []
  let failure: unknown = null
  let wake: (() => void) | null = null
  const woken = (): void => wake?.()
  watcher.on('change', (eventType: string, filename: unknown) => {
    waiting.push({ eventType, filename })
    woken()
  })
  watcher.on('error', (error: unknown) => {
    failure = error
    woken()
  })
  const abort = (): void => {
    failure = abortError(signal?.reason)
    woken()
  }
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()
  try {
    for (;;) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else if (failure !== null) throw failure
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    watcher.close()
  }
}

function event(call: string, file: NamedFile, result: Json): Outcome {
  return { type: 'fs_call', call: label(call), path: file.portable, result, error: null }
}

function fields(json: Json): { readonly [name: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? (json as { readonly [name: string]: Json })
    : {}
}
