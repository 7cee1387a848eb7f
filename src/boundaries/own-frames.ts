/**
 * Stacks of errors that a program would get without us: without the recorder's own frames, and without what
 * Node adds because an outcome is delivered in an immediate. A stack that is not plain text (a program
 * formats its own) is left alone.
 */
import type { AnyFunction } from './patches.ts'

/** Where the recorder's own code is: its folder, or the one file that it was bundled into. */
const OWN = ownPlace()

/** What Node formats stacks with; undefined in those that have no such function. */
const NODES_OWN: unknown = Error.prepareStackTrace

/** The turn that the gate runs in. */
const TURN =
  /^ {4}at (?:processTicksAndRejections|runNextTicks|process\.processImmediate|process\.callbackTrampoline|AsyncResource\.runInAsyncScope|new AsyncResource) /

/** Takes them out of the stack of an error that Node made below us. */
export function withoutOwnFrames(error: unknown): void {
  if (!(error instanceof Error) || !isPlain()) return
  const { stack } = error
  if (typeof stack !== 'string' || !stack.includes(OWN)) return
  error.stack = linesOf(stack).join('\n')
}

/**
 * Gives an error that we make its stack: `inner` (Node's own frames where it really failed), then the
 * program's frames, those above `callee` left out. False if a program formats stacks by itself. Taken from
 * another object: newer V8s abort on an error whose stack has been set and is captured again.
 */
export function setStack(
  error: Error,
  inner: readonly string[],
  callee: AnyFunction,
  isAsync: boolean,
): boolean {
  if (!isPlain()) return false
  const holder: { stack?: unknown } = {}
  Error.captureStackTrace(holder, callee)
  const lines = typeof holder.stack === 'string' ? linesOf(holder.stack) : []
  const frames = lines.filter((line) => line.startsWith(isAsync ? '    at async ' : '    at '))
  const limit = typeof Error.stackTraceLimit === 'number' ? Error.stackTraceLimit : 0
  error.stack = [`${error.name}: ${error.message}`, ...[...inner, ...frames].slice(0, limit)].join('\n')
  return true
}

/** Node's own frames at the top of a stack. */
export function innerFrames(error: Error): readonly string[] {
  const stack: unknown = isPlain() ? error.stack : undefined
  if (typeof stack !== 'string') return []
  const lines = linesOf(stack)
  const from = lines.findIndex((line) => line.startsWith('    at '))
  if (from < 0) return []
  const frames = lines.slice(from)
  const to = frames.findIndex(
    (line) => !/^ {4}at (?:async )?[^(]+ \((?:node:(?:fs|internal\/fs\/)[^)]*|index \d+)\)$/.test(line),
  )
  return to < 0 ? frames : frames.slice(0, to)
}

function linesOf(stack: string): string[] {
  const lines = stack.split('\n').filter((line) => !line.startsWith('    at ') || !line.includes(OWN))
  while (TURN.test(lines.at(-1) ?? '')) lines.pop()
  return lines
}

/** Whether stacks are Node's own text: looking at one that a program formats would call it. */
function isPlain(): boolean {
  return Error.prepareStackTrace === NODES_OWN
}

function ownPlace(): string {
  const line = (new Error('here').stack ?? '').split('\n').find((each) => each.startsWith('    at ')) ?? ''
  const file = /(\/[^():]+):\d+:\d+\)?$/.exec(line)?.[1] ?? '\0'
  // Not the engine, which is one file: the modules themselves, or the few files of the library.
  const isOneOfSeveral = /\/own-frames\.[jt]s$|\/dist\/library\/[^/]+$/.test(file)
  return isOneOfSeveral ? file.slice(0, file.lastIndexOf('/') + 1) : file
}
