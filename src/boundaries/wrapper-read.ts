/**
 * Finds reads of a wrapper that the recorder has called: a program replaces `Array.prototype.map` and reads
 * the clock in its replacement. Such a read is not one of the program's: a replay calls `map` more or less
 * often than a recording.
 *
 * The stack decides. The program's frames were called by the recorder, and the text at that place is a call
 * of a method that is replaced. A callback of the program that the recorder calls has another text there.
 *
 * Only in the bundled engine, whose text is known. Calls no method that a program can replace.
 */
import { fs } from '../real/fs.ts'
import { isAnyReplaced, isReplaced } from '../real/replaced-methods.ts'
import { captureStackTrace } from '../real/stack-traces.ts'
import { OWN } from './own-frames.ts'
import type { AnyFunction } from './patches.ts'

/** Enough for the wrapper, and for what it calls until it reads the clock. */
const DEPTH = 24
/** The bundled engine is one file; its name in the bundle is a path. */
const file = import.meta.url
const charCodeAt: (text: string, at: number) => number = Function.prototype.call.bind(
  String.prototype.charCodeAt,
)
const startsWith: (text: string, start: string) => boolean = Function.prototype.call.bind(
  String.prototype.startsWith,
)
const isBundled = file.endsWith('engine.cjs')

/** `asker` is our own function that a patched function has called. */
export function isWrappersRead(asker: AnyFunction): boolean {
  return isBundled && isAnyReplaced() && isCalledByRecorder(stackOf(asker))
}

function isCalledByRecorder(sites: readonly NodeJS.CallSite[]): boolean {
  let at = 0
  let isByNode = false
  while (at < sites.length && sites[at]?.getFileName() === OWN) at += 1
  for (; at < sites.length; at += 1) {
    const site = sites[at]
    const place = site?.getFileName()
    if (site === undefined || place === OWN) return site !== undefined && (isByNode || isCallOfReplaced(site))
    if (!isOfNode(place)) continue
    // Node called the program: a listener, a timer.
    if (!isComputing(place)) return false
    isByNode = true
  }
  return false
}

/** Methods of strings and patterns call `exec` of the pattern. */
const CALL_EXEC = { match: 1, matchAll: 1, replace: 1, replaceAll: 1, search: 1, split: 1, test: 1 }

/** Whether the recorder calls a method there that the program has replaced. */
function isCallOfReplaced(site: NodeJS.CallSite): boolean {
  const name = nameAt(site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0)
  if (name === null || isReplaced(name)) return true
  // `new Map(pairs)` calls `set`, and `new Set(items)` calls `add`.
  if (name === 'new') return isReplaced('set') || isReplaced('add')
  return Object.hasOwn(CALL_EXEC, name) && isReplaced('exec')
}

let text: string | null = null
let lineStarts: number[] = []
let isReading = false

/** The name at a place of the engine; null while the text is read, which calls wrappers itself. */
function nameAt(line: number, column: number): string | null {
  if (isReading) return null
  if (text === null) {
    isReading = true
    text = textOfEngine()
    lineStarts = startsOf(text)
    isReading = false
  }
  let at = (lineStarts[line - 1] ?? text.length) + column - 1
  // Where the name is a word of the language (`map.delete()`), V8 has the place of the bracket.
  if (text[at] === '(') while (at > 0 && isLetter(charCodeAt(text, at - 1))) at -= 1
  let name = ''
  for (; isLetter(charCodeAt(text, at)); at += 1) name += text[at]
  return name
}

function textOfEngine(): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    // The package was removed while the program ran: no read is found to be a wrapper's.
    return ''
  }
}

function startsOf(lines: string): number[] {
  const starts = [0]
  for (let at = 0; at < lines.length; at += 1)
    if (charCodeAt(lines, at) === 0x0a) starts[starts.length] = at + 1
  return starts
}

/** Of the names of methods; NaN beyond the end of the text is none. */
function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}

function isOfNode(place: string | null | undefined): place is string {
  return typeof place === 'string' && startsWith(place, 'node:')
}

/** Parts of Node that call no listener and no callback of a program before they return. */
const COMPUTING = [
  ...['node:buffer', 'node:fs', 'node:path', 'node:querystring', 'node:url', 'node:util'],
  ...['node:internal/buffer', 'node:internal/errors', 'node:internal/fs/', 'node:internal/url'],
  ...['node:internal/util', 'node:internal/validators'],
]

function isComputing(place: string): boolean {
  for (let at = 0; at < COMPUTING.length; at += 1) if (startsWith(place, COMPUTING[at] ?? '')) return true
  return false
}

/** The frames below `callee`; none if `Error` cannot be changed. */
function stackOf(callee: AnyFunction): readonly NodeJS.CallSite[] {
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  const prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  const hasPrepare = prepare !== undefined
  if (limit?.writable !== true || (hasPrepare ? prepare.writable !== true : !Object.isExtensible(Error)))
    return []
  Error.stackTraceLimit = DEPTH
  Reflect.set(Error, 'prepareStackTrace', asTheyAre)
  try {
    const holder: { stack?: unknown } = {}
    captureStackTrace(holder, callee)
    return Array.isArray(holder.stack) ? holder.stack : []
  } finally {
    Error.stackTraceLimit = limit.value
    if (hasPrepare) Reflect.set(Error, 'prepareStackTrace', prepare.value)
    else Reflect.deleteProperty(Error, 'prepareStackTrace')
  }
}

function asTheyAre(_error: unknown, sites: readonly NodeJS.CallSite[]): readonly NodeJS.CallSite[] {
  return sites
}
