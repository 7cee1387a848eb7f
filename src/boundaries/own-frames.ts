/**
 * Removes frames from error stacks that the program would not have without Reprise: the recorder's own
 * frames, and those that Node adds because an outcome is delivered in an immediate. A stack that is not plain
 * text (the program formats it) is not changed.
 */
import { nodesPrepareStackTrace } from '../real/stack-traces.ts'
import { callersOf } from './caller.ts'
import type { AnyFunction } from './patches.ts'

/** Where the recorder's own code is: its folder, or the one file that it was bundled into. */
export const OWN = ownPlace()

/** The turn in which the gate runs. */
const TURN =
  /^ {4}at (?:processTicksAndRejections|runNextTicks|process\.processImmediate|process\.callbackTrampoline|AsyncResource\.runInAsyncScope|new AsyncResource) /

/** Removes these frames from the stack of an error that Node created below us. */
export function withoutOwnFrames(error: unknown): void {
  if (!(error instanceof Error) || !isPlain()) return
  const { stack } = error
  if (typeof stack !== 'string' || !stack.includes(OWN)) return
  error.stack = linesOf(stack).join('\n')
}

/**
 * Sets the stack of an error that we create: `inner` (Node's own frames of the real failure), then the
 * program's frames, without those above `callee`. Returns false if the program formats stacks. The stack is
 * captured on another object: newer V8s abort on an error whose stack has been set and is captured again.
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

/** Whether stacks are Node's own text: reading one that a program formats would call the program. */
function isPlain(): boolean {
  return Error.prepareStackTrace === nodesPrepareStackTrace
}

/**
 * The name that V8 has for this file. Node 20 takes it from what was compiled before, also if the package has
 * moved since. Not from the text of a stack: for its line numbers V8 would read the whole file.
 */
function ownPlace(): string {
  const look = (): string | undefined => callersOf(look, 1)[0]
  const file = look()?.replace(/^file:\/\//, '') || '\0'
  // Without the bundled engine: the modules themselves, or the few files of the library.
  const isOneOfSeveral = /\/own-frames\.[jt]s$|\/dist\/library\/[^/]+$/.test(file)
  return isOneOfSeveral ? file.slice(0, file.lastIndexOf('/') + 1) : file
}
