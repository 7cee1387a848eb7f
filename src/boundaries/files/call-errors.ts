/**
 * Failures of file calls as data and back. The message, `path` and `dest` of a system error name files as the
 * program named them, which can differ in another folder. So names that the program passed are stored by
 * their position in the call, and others by their portable name. The message is built again with Node's own
 * formula.
 *
 * A failed call throws the rebuilt error in both modes, so that its stack is the same too.
 *
 * Decision 0218.
 */
import { errorFacts, errorFromFacts } from '../errors.ts'
import { innerFrames, setStack } from '../own-frames.ts'
import type { AnyFunction } from '../patches.ts'
import type { ErrorFacts } from '../session.ts'

/** How the call named its files, and how other names are translated. */
export type Names = {
  readonly given: readonly string[]
  portable(path: string): string
  local(portable: string): string
}

type SystemError = Error & { code: string; syscall: string; path?: string; dest?: string }

export function failureFacts(error: unknown, names: Names): ErrorFacts {
  const facts = errorFacts(error)
  if (!isSystemError(error)) return facts
  const { path, dest } = error
  const words = wordsOf(error)
  const order = Object.keys(error).join(' ')
  const frames = innerFrames(error)
  return {
    ...facts,
    message: words ?? facts.message,
    properties: {
      ...facts.properties,
      ...(path === undefined ? {} : { path: nameOf(path, names) }),
      ...(dest === undefined ? {} : { dest: nameOf(dest, names) }),
      ...(words === null ? {} : { order }),
      ...(frames.length === 0 ? {} : { frames: frames.join('\n') }),
    },
  }
}

/**
 * `callee` and all that it called are removed from the stack; without `callee` there is no stack, as for all
 * asynchronous calls.
 */
export function failureFrom(facts: ErrorFacts, names: Names, callee: AnyFunction | null): Error {
  const { order, path, dest, frames, ...rest } = facts.properties ?? {}
  const error = typeof order === 'string' ? remade(facts, names, order) : errorFromFacts(facts)
  if (typeof order !== 'string') {
    for (const [key, value] of Object.entries({ path, dest }))
      if (typeof value === 'string') Object.assign(error, { [key]: fileOf(value, names) })
    for (const [key, value] of Object.entries(rest)) Object.assign(error, { [key]: value })
  }
  if (callee === null) error.stack = `${error.name}: ${error.message}`
  else if (!setStack(error, innerOf(frames), callee, false)) Error.captureStackTrace(error, callee)
  return error
}

/**
 * In a reaction to the promise that the program awaits: the stack shows the awaiting code. `reaction` is
 * removed from it.
 */
export function settleWaiting(error: Error, facts: ErrorFacts, reaction: AnyFunction): void {
  setStack(error, innerOf(facts.properties?.frames), reaction, true)
}

function innerOf(frames: unknown): readonly string[] {
  return typeof frames === 'string' ? frames.split('\n') : []
}

function remade(facts: ErrorFacts, names: Names, order: string): Error {
  const known = facts.properties ?? {}
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' ? fileOf(value, names) : undefined
  const path = text(known.path)
  const dest = text(known.dest)
  const values: { [key: string]: unknown } = { ...known, code: facts.code, path, dest }
  const suffix = `${path === undefined ? '' : ` '${path}'`}${dest === undefined ? '' : ` -> '${dest}'`}`
  const error = new Error(`${facts.message}, ${known.syscall}${suffix}`)
  for (const key of order.split(' '))
    if (values[key] !== undefined) Object.assign(error, { [key]: values[key] })
  return error
}

/** `ENOENT: no such file or directory`, if the rest of the message follows from the other facts. */
function wordsOf(error: SystemError): string | null {
  const suffix = `, ${error.syscall}${error.path === undefined ? '' : ` '${error.path}'`}${error.dest === undefined ? '' : ` -> '${error.dest}'`}`
  return error.message.endsWith(suffix) ? error.message.slice(0, error.message.length - suffix.length) : null
}

function nameOf(path: string, { given, portable }: Names): string {
  const at = given.indexOf(path)
  if (at >= 0) return `#${at}`
  // What `mkdtemp` adds to the name.
  const begins = given.findIndex((name) => name !== '' && path.startsWith(name))
  return begins < 0 ? `=${portable(path)}` : `#${begins}+${path.slice(given[begins]?.length)}`
}

function fileOf(name: string, { given, local }: Names): string {
  const [, at, added = ''] = /^#(\d+)(?:\+(.*))?$/s.exec(name) ?? []
  if (at !== undefined) return (given[Number(at)] ?? '') + added
  return name.startsWith('=') ? local(name.slice(1)) : name
}

function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return false
  const { path, dest } = error as { path?: unknown; dest?: unknown }
  return typeof error.syscall === 'string' && isTextOrNothing(path) && isTextOrNothing(dest)
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
