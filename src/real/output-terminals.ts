/**
 * Which of the process's own streams are terminals, and of which size. Known without creating the streams:
 * Node creates them on first access, and then listens to SIGWINCH.
 */
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import tty from 'node:tty'
import { realEnv } from './process.ts'

/** `colors` is the number of bits of a colour, as `getColorDepth` returns it. */
export type OutputTerminal = { readonly columns: number; readonly rows: number; readonly colors: number }

export type Terminals = {
  readonly stdin: boolean
  readonly stdout: OutputTerminal | null
  readonly stderr: OutputTerminal | null
}

/** The module that `isatty` belongs to. Reading it loads the module. */
export const ttyOwner = (): object => tty

export function realTerminals(): Terminals {
  return { stdin: isTerminal(0), stdout: outputTerminal(1), stderr: outputTerminal(2) }
}

/** `tty` is loaded for a device only: most recordings have none, and loading takes time. */
export function isTerminal(fd: number): boolean {
  try {
    // As bigints: Node's `realpathSync` reads the array that the last plain `fstat` filled, and returns links
    // unresolved if that was of a pipe.
    const stats = fstatSync(fd, { bigint: true })
    const nothing = statSync('/dev/null', { bigint: true })
    return stats.isCharacterDevice() && stats.rdev !== nothing.rdev && tty.isatty(fd)
  } catch {
    // The descriptor is closed.
    return false
  }
}

/** The methods of Node's own streams for terminals. */
export const terminalMethods = (): tty.WriteStream => tty.WriteStream.prototype

const UNKNOWN_SIZE = { columns: 80, rows: 24 }

function outputTerminal(fd: number): OutputTerminal | null {
  if (!isTerminal(fd)) return null
  return { ...sizeOf(fd), colors: terminalMethods().getColorDepth({ ...realEnv }) }
}

/** From a second descriptor of the terminal: destroying a stream closes its descriptor. */
function sizeOf(fd: number): { columns: number; rows: number } {
  let own: number | null = null
  try {
    own = openSync(`/dev/fd/${fd}`, constants.O_RDWR | constants.O_NOCTTY)
    const stream = new tty.WriteStream(own)
    own = null
    const { columns, rows } = stream
    stream.destroy()
    return { columns, rows }
  } catch {
    // No such path, or not permitted: the size stays unknown.
    if (own !== null) closeSync(own)
    return UNKNOWN_SIZE
  }
}
