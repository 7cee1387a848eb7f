/**
 * One call of `node:fs`, in any of its forms: synchronous, with a callback, or with a promise. In a recording
 * the real function is called; its result, or its failure, is the answer on the tape. In a replay the answer
 * comes from the tape and nothing is called.
 */
import { type Json, label } from '../../base/index.ts'
import { outside } from '../context.ts'
import { errorFromFacts } from '../errors.ts'
import type { AnyFunction } from '../patches.ts'
import type { Answer, EffectOptions, ErrorFacts, FsCall, Outcome, Sent, Session } from '../session.ts'
import { failureFacts, failureFrom, type Names, settleWaiting } from './call-errors.ts'
import { performAtOnce, performLater } from './file-access.ts'
import type { NamedFile } from './portable-paths.ts'
import { replayCall } from './replayed-changes.ts'
import { type PassedBytes, writesUnderWay } from './writes-under-way.ts'

export const FILESYSTEM = label('filesystem')

export type Call = {
  /** `stat`, `readFile`: the name without `Sync`. */
  readonly name: string
  /** The file of the call, by its portable name. */
  readonly path: string
  readonly key: string
  readonly names: Names
  /** For the real function. */
  readonly args: readonly unknown[]
  /** The answer on the tape if the call succeeded. */
  answer(value: unknown): Answer
  /** What the program gets for that answer. */
  value(answer: Answer): unknown
  /** What the program gets in a recording, if it is not the result of the real function. */
  readonly recorded?: ((value: unknown) => unknown) | undefined
  readonly sent?: Sent | undefined
  /**
   * In a recording: what the program has passed so far, even if the call has not completed; null if unknown.
   */
  readonly passedBytes?: (() => PassedBytes | null) | undefined
  /** It concerns the process's own output: really done in both modes, and what it writes counts as output. */
  readonly output?: 1 | 2 | undefined
  readonly signal?: AbortSignal | undefined
  /** The real function does nothing else that could count as the program's. */
  readonly isSimple?: boolean
}

export type CallParts = Partial<Omit<Call, 'name' | 'path' | 'key' | 'names'>> & {
  /** Further parts of the key: options that change the answer. */
  readonly also?: Json
  /** The files as a failure names them, if they differ from those of the call. */
  readonly given?: readonly NamedFile[]
}

export function fsCall(call: Pick<Call, 'name' | 'path'>, result: Json): FsCall {
  return { type: 'fs_call', call: label(call.name), path: call.path, result, error: null }
}

export function resultOf(answer: Answer): Json {
  return answer.type === 'fs_call' ? answer.result : null
}

export function callAtOnce(
  session: Session,
  call: Call,
  perform: (args: readonly unknown[]) => unknown,
  callee: AnyFunction,
): unknown {
  let made: { readonly value: unknown } | null = null
  const answer = session.answer(
    FILESYSTEM,
    call.key,
    () => {
      try {
        const value =
          call.isSimple === true
            ? performAtOnce(session, call, perform)
            : outside(() => performAtOnce(session, call, perform))
        made = { value }
        return call.answer(value)
      } catch (error) {
        return failed(call, error)
      }
    },
    call.sent,
  )
  if (made === null) replayCall(session, call, answer)
  if (answer.type === 'fs_call' && answer.error !== null) throw failureFrom(answer.error, call.names, callee)
  return given(call, answer, made)
}

/** `facts`, if the error is built from them. */
export type Settle = (error: Error | null, value?: unknown, facts?: ErrorFacts | null) => void
/** Starts the real call, and reports its end, once. */
export type Begin = (args: readonly unknown[], done: Settle) => void

/** The program receives the result in a separate turn. */
export function callLater(session: Session, call: Call, begin: Begin, settle: Settle): void {
  let made: { readonly value: unknown } | null = null
  if (call.signal?.aborted === true) {
    Promise.resolve().then(() => settle(abortError(call.signal?.reason)))
    return
  }
  const receive = (outcome: Outcome): void => {
    finish()
    if (outcome.type !== 'error' && !effect.isLive) replayCall(session, call, outcome as Answer)
    if (outcome.type === 'error') settle(errorFromFacts(outcome.error))
    else if (outcome.type === 'fs_call' && outcome.error !== null)
      settle(failureFrom(outcome.error, call.names, null), undefined, outcome.error)
    else settle(null, given(call, outcome as Answer, made))
  }
  const options: EffectOptions = call.sent === undefined ? {} : { sent: call.sent }
  const effect = session.start(FILESYSTEM, call.key, receive, options)
  const underWay =
    call.sent === undefined
      ? null
      : { key: call.key, path: call.path, sent: call.sent, passedBytes: () => call.passedBytes?.() ?? null }
  if (underWay !== null) writesUnderWay(session).add(underWay)
  const abort = (): void => {
    finish()
    settle(abortError(call.signal?.reason))
  }
  const finish = (): void => {
    effect.close()
    if (underWay !== null) writesUnderWay(session).delete(underWay)
    call.signal?.removeEventListener('abort', abort)
  }
  call.signal?.addEventListener('abort', abort, { once: true })
  if (!effect.isLive) return
  const done: Settle = (error, value) => {
    if (error === null) made = { value }
    effect.arrive(error === null ? call.answer(value) : failed(call, error))
  }
  outside(() => {
    try {
      performLater(session, call, begin, done)
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

export function promised(session: Session, call: Call, begin: Begin): Promise<unknown> {
  let failure: ErrorFacts | null = null
  const settled = new Promise((resolve, reject) =>
    callLater(session, call, begin, (error, value, facts = null) => {
      failure = facts
      if (error === null) resolve(value)
      else reject(error)
    }),
  )
  // As Node does it: the stack is taken in a reaction to the promise, because only there the awaiting code is
  // known.
  const reaction = (error: unknown): never => {
    if (error instanceof Error && failure !== null) settleWaiting(error, failure, reaction)
    throw error
  }
  return settled.then(undefined, reaction)
}

function failed(call: Call, error: unknown): Answer {
  return {
    type: 'fs_call',
    call: label(call.name),
    path: call.path,
    result: null,
    error: failureFacts(error, call.names),
  }
}

function given(call: Call, answer: Answer, made: { readonly value: unknown } | null): unknown {
  if (made === null) return call.value(answer)
  return call.recorded === undefined ? made.value : call.recorded(made.value)
}

/** Like Node's own, whose class programs cannot reach. */
class AbortError extends Error {
  readonly code = 'ABORT_ERR'
  override readonly name = 'AbortError'
}

// Bundling may have renamed it.
Object.defineProperty(AbortError, 'name', { value: 'AbortError' })

export function abortError(cause: unknown): Error {
  return new AbortError('The operation was aborted', cause === undefined ? undefined : { cause })
}
