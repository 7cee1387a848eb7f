/**
 * The arguments of `spawn` of node-pty, with its own defaults and its own errors: a replay must make the same
 * ones, but starts nothing.
 */
import { realEnv } from '../../real/process.ts'
import type { TerminalFacts, TerminalStart } from '../session.ts'

export type ChildOptions = {
  readonly facts: Omit<TerminalFacts, 'start'>
  readonly owner: TerminalStart['options']
  readonly encoding: BufferEncoding | null
  readonly handleFlowControl: boolean
  readonly flowControlPause: string
  readonly flowControlResume: string
  /** For the real child: the program's own options, with raw bytes requested. */
  readonly given: { readonly [name: string]: unknown }
}

export function childOptions([file, args, options]: readonly unknown[]): ChildOptions {
  const given = isObject(options) ? options : {}
  for (const [name, type] of CHECKED) check(name, given[name] || undefined, type)
  if (typeof args === 'string') throw new Error('args as a string is not supported on unix.')
  return {
    facts: {
      program: text(file) || 'sh',
      args: Array.isArray(args) ? args.map(String) : [],
      cwd: text(given.cwd) || null,
      term: text(given.name) || 'xterm',
      cols: number(given.cols) || 80,
      rows: number(given.rows) || 24,
    },
    owner: {
      ...(typeof given.uid === 'number' ? { uid: given.uid } : {}),
      ...(typeof given.gid === 'number' ? { gid: given.gid } : {}),
    },
    encoding:
      given.encoding === undefined ? 'utf8' : given.encoding === null ? null : encodingOf(given.encoding),
    handleFlowControl: Boolean(given.handleFlowControl),
    flowControlPause: text(given.flowControlPause) || '\x13',
    flowControlResume: text(given.flowControlResume) || '\x11',
    given: { ...given, encoding: null, handleFlowControl: false },
  }
}

/** What the library leaves out of the environment that it takes from this process. */
const NOT_INHERITED = ['TMUX', 'TMUX_PANE', 'STY', 'WINDOW', 'WINDOWID', 'TERMCAP', 'COLUMNS', 'LINES']

/** The environment that the library gives the child, before it adds to it. */
export function environmentOf(given: unknown): Record<string, string> {
  const isOwn = !isObject(given)
  const entries = Object.entries(isOwn ? realEnv : given).flatMap(([name, value]) =>
    value === undefined || (isOwn && NOT_INHERITED.includes(name)) ? [] : [[name, String(value)] as const],
  )
  return Object.fromEntries(entries)
}

/** The key of a start, by which it matches a recorded one. */
export function startKey({ program, args, cwd, cols, rows }: ChildOptions['facts']): string {
  return `spawn ${JSON.stringify([program, ...args])} ${cols}x${rows}${cwd === null ? '' : ` in ${cwd}`}`
}

const CHECKED = [
  ['name', 'string'],
  ['cols', 'number'],
  ['rows', 'number'],
  ['cwd', 'string'],
  ['env', 'object'],
  ['uid', 'number'],
  ['gid', 'number'],
  ['encoding', 'string'],
] as const

function check(name: string, value: unknown, type: string): void {
  if (value !== undefined && typeof value !== type)
    throw new Error(`${name} must be a ${type} (not a ${typeof value})`)
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null
}

function encodingOf(value: unknown): BufferEncoding {
  if (typeof value !== 'string' || !Buffer.isEncoding(value))
    throw new TypeError(`Unknown encoding: ${String(value)}`)
  return value
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
