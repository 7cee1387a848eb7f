/**
 * Gives the program's streams the terminals of the recording, in a replay: `isTTY`, size, colours, the
 * methods of a terminal, and `tty.isatty`. A program prints other text on a terminal than into a pipe, so a
 * run that was recorded on a terminal would differ in CI, and the reverse.
 *
 * Does not cover a terminal that changes its size during the run: a replay keeps the first size.
 *
 * Decision 0410.
 */
import {
  isTerminal,
  type OutputTerminal,
  type Terminals,
  terminalMethods,
  ttyOwner,
} from '../../real/output-terminals.ts'
import { activeSession, outside } from '../context.ts'
import { type LatePatches, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

/** Null: the streams of this process are used unchanged. Set it before the session is used. */
export const recordedTerminals = sessionField<Terminals | null>(() => null)

/** Whether Node's own listeners for the size of a terminal are not the program's. False for older tapes. */
export const ignoresResize = sessionField<boolean>(() => false)

/**
 * Node listens to SIGWINCH when it creates a stream for a terminal. That may be in the middle of a load of
 * its own modules, at another moment than in the recording.
 */
export function isResizeListener(session: Session, listener: unknown): boolean {
  return (
    typeof listener === 'function' &&
    (listener.name === 'refreshStdoutOnSigWinch' || listener.name === 'refreshStderrOnSigWinch') &&
    ignoresResize.get(session)
  )
}

const NAMES = ['stdin', 'stdout', 'stderr'] as const

export const ttyPatches: LatePatches = {
  module: 'tty',
  make: () => [
    patchFunction(
      ttyOwner(),
      'isatty',
      (original) =>
        function (this: unknown, ...args: unknown[]): unknown {
          const session = activeSession('stdio')
          const recorded = session === null ? null : recordedTerminals.get(session)
          const name = NAMES[Number(args[0])]
          return recorded === null || name === undefined || typeof args[0] !== 'number'
            ? Reflect.apply(original, this, args)
            : recorded[name] !== false && recorded[name] !== null
        },
    ),
  ],
}

/** What this file uses of `process.stdout` and `process.stderr`. */
export type OutputStream = object & { write(...args: unknown[]): unknown }

/** `open` creates the stream. Called once for each stream. */
export function openedOutput(
  session: Session,
  name: 'stdout' | 'stderr',
  open: () => OutputStream,
): OutputStream {
  const recorded = recordedTerminals.get(session)
  if (recorded === null) return open()
  const terminal = recorded[name]
  const isReal = outside(() => isTerminal(NAMES.indexOf(name)))
  if (terminal === null) return isReal ? withoutTerminal(open()) : open()
  return withTerminal(open(), terminal)
}

const METHODS = ['clearLine', 'clearScreenDown', 'cursorTo', 'getWindowSize', 'moveCursor'] as const

function withTerminal(stream: OutputStream, { columns, rows, colors }: OutputTerminal): OutputStream {
  const methods = terminalMethods()
  for (const name of METHODS) if (!(name in stream)) define(stream, name, methods[name])
  define(stream, 'getColorDepth', (env?: object) =>
    env === undefined ? colors : Reflect.apply(methods.getColorDepth, stream, [env]),
  )
  define(stream, 'hasColors', (...args: unknown[]) => {
    const [count = 16, env] = args
    return env === undefined && Number.isInteger(count) && Number(count) >= 2
      ? Number(count) <= 2 ** colors
      : Reflect.apply(methods.hasColors, stream, args)
  })
  return sized(stream, { isTTY: true, columns, rows })
}

function withoutTerminal(stream: OutputStream): OutputStream {
  for (const name of [...METHODS, 'getColorDepth', 'hasColors']) define(stream, name, undefined)
  return sized(stream, { isTTY: undefined, columns: undefined, rows: undefined })
}

function sized(stream: OutputStream, facts: Readonly<Record<string, unknown>>): OutputStream {
  for (const [name, value] of Object.entries(facts)) define(stream, name, value)
  define(stream, '_refreshSize', () => undefined)
  return stream
}

function define(stream: OutputStream, name: string, value: unknown): void {
  Object.defineProperty(stream, name, { value, writable: true, configurable: true, enumerable: false })
}
