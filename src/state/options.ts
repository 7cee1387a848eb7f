/**
 * Arguments and options of `initState`, `resumeState` and `openState`, in our spelling and in upstream's
 * (`session_id`, `writer_id`, …).
 *
 * A wrong shape of arguments and an unknown option are errors: an option that is ignored silently looks like
 * one that works.
 */
import { isObject } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import type { Conflict } from './contract.ts'
import type { DriverOptions } from './open-driver.ts'
import type { WriterOptions } from './writer.ts'

export type StateOptions = WriterOptions &
  DriverOptions &
  UpstreamOptions & {
    /**
     * What happens when a key was written by someone else: `ignore` (the default), `warn`, `error`, or one of
     * upstream's other spellings.
     */
    readonly conflictPolicy?: string | undefined
    /** Called once per conflict under `warn`; a process warning unless given. */
    readonly onConflict?: ((conflict: Conflict) => void) | undefined
  }

export type InitOptions = StateOptions & {
  readonly sessionId?: string | undefined
  readonly session_id?: string | undefined
}

/** Upstream's spellings; ours win where both are given. */
type UpstreamOptions = {
  readonly writer_id?: string | undefined
  readonly stage_id?: string | undefined
  readonly worker_id?: string | undefined
  readonly conflict_policy?: string | undefined
  /** Upstream's other name for the conflict policy. */
  readonly two_writer?: string | undefined
}

const UPSTREAM: Readonly<
  Record<string, 'sessionId' | 'writerId' | 'stageId' | 'workerId' | 'conflictPolicy'>
> = {
  session_id: 'sessionId',
  writer_id: 'writerId',
  stage_id: 'stageId',
  worker_id: 'workerId',
  conflict_policy: 'conflictPolicy',
  two_writer: 'conflictPolicy',
}
const TEXTS: ReadonlySet<string> = new Set(Object.values(UPSTREAM))
const OTHERS: ReadonlySet<string> = new Set([
  'onConflict',
  'historyLimit',
  'lockTimeoutMs',
  'portable',
  'poolSize',
  'tls',
])

export type CheckedOptions = Omit<InitOptions, keyof UpstreamOptions | 'session_id'>

/** In our spelling, with numbers and booleans as text, as upstream has it. */
export function checkOptions(call: string, options: unknown): CheckedOptions {
  if (options === undefined || options === null) return {}
  if (!isObject(options)) throw wrongArguments(call, `options must be an object, not ${typeof options}`)
  const checked: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(options)) {
    if (OTHERS.has(name)) checked[name] = value
    else if (TEXTS.has(name)) checked[name] = textOption(call, name, value)
    else if (!Object.hasOwn(UPSTREAM, name)) throw unknownOption(call, name)
  }
  for (const [name, ours] of Object.entries(UPSTREAM)) {
    if (Object.hasOwn(options, name)) checked[ours] ??= textOption(call, name, options[name])
  }
  return checked
}

function textOption(call: string, name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw wrongArguments(call, `${name} must be text, not ${typeof value}`)
}

export type InitRequest = {
  readonly root: string
  readonly sessionId: string | undefined
  readonly options: CheckedOptions
}

/**
 * `(root, options?)` or upstream's `(session_id, root, options?)`: two texts in a row are the second form.
 */
export function initRequest(first: unknown, second: unknown, third: unknown): InitRequest {
  if (typeof first === 'string' && typeof second === 'string') {
    return { root: second, sessionId: first, options: checkOptions('init', third) }
  }
  const isFirstForm =
    typeof first === 'string' &&
    (second === undefined || second === null || isObject(second)) &&
    third === undefined
  if (!isFirstForm)
    throw wrongArguments('init', 'expected `(root, options?)` or `(session_id, root, options?)`')
  const { sessionId, ...options } = checkOptions('init', second)
  return { root: first, sessionId, options }
}

export function wrongArguments(call: string, why: string): RepriseError {
  return new RepriseError('state-arguments', `agent_state.${call}: ${why}`, {
    hint: 'see docs/guides/state.md',
  })
}

function unknownOption(call: string, name: string): RepriseError {
  return new RepriseError('state-arguments', `agent_state.${call}: unknown option '${name}'`, {
    details: { option: name },
    hint: `options are ${[...TEXTS, ...OTHERS].join(', ')}`,
  })
}
