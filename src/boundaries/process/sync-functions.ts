/**
 * `spawnSync`, `execFileSync` and `execSync` for a replay under Node's permission model. Node denies the
 * native function that they end in, so this file does what Node does above it: streams, input, encodings, the
 * text of a failure. Node's own `spawn` reads the arguments, and is stopped before it starts anything.
 */
import { getSystemErrorName } from 'node:util'
import { label } from '../../base/index.ts'
import { signalNumber } from '../../real/child-handles.ts'
import { childProcessOwners } from '../../real/child-process-owners.ts'
import { realProcess } from '../../real/program.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import type { StdioEntry } from './stdio-plan.ts'
import { type SyncOptions, type SyncResult, spawnSyncIn } from './sync.ts'

export const SYNC_NAMES = ['spawnSync', 'execFileSync', 'execSync'] as const

const PROCESS = label('process')

type Options = { readonly [name: string]: unknown }
type Normal = SyncOptions & { file: string; args: string[]; input?: unknown; encoding?: unknown }
type Output = Uint8Array | string | null
type Result = Omit<SyncResult, 'output' | 'error'> & {
  output: Output[] | null
  stdout?: Output
  stderr?: Output
  error?: Error
}

/** Node's own. */
type Natives = { readonly spawn: AnyFunction; readonly spawnSync: AnyFunction }

/** `original` runs if no session is active: a loader of the program. */
export function walledSyncFunction(
  name: (typeof SYNC_NAMES)[number],
  original: AnyFunction,
  natives: Natives,
): AnyFunction {
  const functions: { readonly [name: string]: AnyFunction } = syncFunctions(natives)
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('process')
    if (session === null || session.isLive(PROCESS)) return Reflect.apply(original, this, args)
    return functions[name]?.(...args)
  }
}

function syncFunctions(natives: Natives): Record<(typeof SYNC_NAMES)[number], AnyFunction> {
  function spawnSync(...given: unknown[]): Result {
    const options = normalOf(natives, given)
    const session = activeSession('process')
    if (session === null) throw new Error('no session')
    const native = spawnSyncIn(session, options, () => {
      throw new Error('a replay starts no process')
    })
    const { encoding } = options
    const decode = (bytes: Uint8Array | null): Output =>
      bytes === null || typeof encoding !== 'string' || encoding === 'buffer'
        ? bytes
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding as BufferEncoding)
    const { error, ...rest } = native
    const output = native.output?.map(decode) ?? null
    return {
      ...(error === undefined ? {} : { error: errorOf(error, options) }),
      ...rest,
      output,
      stdout: output === null ? null : (output[1] ?? null),
      stderr: output === null ? null : (output[2] ?? null),
    }
  }

  function execFileSync(file: unknown, second?: unknown, third?: unknown): Output {
    const args: unknown[] = Array.isArray(second) ? second : []
    const options = optionsOf(
      Array.isArray(second) || second === null || second === undefined ? third : second,
    )
    const { argv0 } = options
    return outputOf(spawnSync(file, args, options), options, () =>
      [typeof argv0 === 'string' && argv0 !== '' ? argv0 : file, ...args].join(' '),
    )
  }

  function execSync(command: unknown, given?: unknown): Output {
    const options = optionsOf(given)
    const shell = typeof options.shell === 'string' ? options.shell : true
    return outputOf(spawnSync(command, { ...options, shell }), options, () => String(command))
  }

  return { spawnSync, execFileSync, execSync }
}

/** As Node does it: print what the child wrote to stderr, and throw a failure. */
function outputOf(result: Result, { stdio }: Options, command: () => string): Output {
  const { stderr, error, status, stdout } = result
  if (!stdio && stderr !== null && stderr !== undefined && stderr.length > 0) realProcess.stderr.write(stderr)
  if (error !== undefined) throw Object.assign(error, result)
  if (status === 0) return stdout ?? null
  const shown = stderr === null || stderr === undefined ? '' : stderr.toString()
  const text = shown === '' ? '' : `\n${shown}`
  throw Object.assign(new Error(`Command failed: ${command()}${text}`), result)
}

function errorOf(errno: number, { file, args }: Normal): Error {
  const [code, syscall] = [getSystemErrorName(errno), `spawnSync ${file}`]
  const error = new Error(`${syscall} ${code}`)
  return Object.assign(error, { errno, code, syscall, path: file, spawnargs: args.slice(1) })
}

/** The arguments as Node reads them: `file`, `args`, `envPairs`, `cwd`, and what the program set. */
function normalOf({ spawn, spawnSync }: Natives, given: readonly unknown[]): Normal {
  const options = readByNode(spawn, given)
  const { maxBuffer, input } = options
  const isLegal = typeof maxBuffer === 'number' && maxBuffer >= 0
  const isMissing = maxBuffer === undefined || maxBuffer === null
  // Node rejects them with its own message, before anything is started.
  if (!(isMissing || isLegal) || !isInput(input)) Reflect.apply(spawnSync, undefined, given)
  if (isMissing) options.maxBuffer = MAX_BUFFER
  const { killSignal } = options
  if (typeof killSignal === 'string') options.killSignal = signalNumber(killSignal.toUpperCase())
  return { ...options, stdio: withInput(streamsOf(options.stdio), options) }
}

function isInput(input: unknown): boolean {
  return input === undefined || input === null || typeof input === 'string' || ArrayBuffer.isView(input)
}

const MAX_BUFFER = 1024 * 1024

/** Node's `spawn` normalises its arguments, then calls the `spawn` of a new child: it is stopped there. */
function readByNode(spawn: AnyFunction, given: readonly unknown[]): Normal {
  const { childPrototype } = childProcessOwners
  const before = Object.getOwnPropertyDescriptor(childPrototype, 'spawn')
  if (before === undefined) throw new Error('ChildProcess has no spawn')
  const stop = new Error('read')
  let read: Normal | null = null
  const value = (options: Normal): never => {
    read = options
    throw stop
  }
  Object.defineProperty(childPrototype, 'spawn', { ...before, value })
  try {
    // `signal` is an option of the other functions only.
    Reflect.apply(spawn, undefined, given.map(withoutSignal))
  } catch (error) {
    if (error !== stop) throw error
  } finally {
    Object.defineProperty(childPrototype, 'spawn', before)
  }
  if (read === null) throw new Error('Node read no arguments')
  return { ...(read as Normal) }
}

function withoutSignal(argument: unknown): unknown {
  if (typeof argument !== 'object' || argument === null || !('signal' in argument)) return argument
  return { ...argument, signal: undefined }
}

function streamsOf(given: unknown): StdioEntry[] {
  const list: unknown[] = Array.isArray(given) ? [...given] : [given, given, given]
  while (list.length < 3) list.push(undefined)
  return list.map((stream, at) => {
    const use = stream ?? (at < 3 ? 'pipe' : 'ignore')
    const fd = descriptorOf(use)
    if (use === 'ignore') return { type: 'ignore' }
    if (use === 'inherit') return { type: 'inherit', fd: at }
    if (fd !== null && fd >= 0) return { type: 'fd', fd }
    return { type: use === 'overlapped' ? use : 'pipe', readable: at === 0, writable: at !== 0 }
  })
}

function descriptorOf(stream: unknown): number | null {
  if (typeof stream === 'number') return stream
  const fd: unknown = typeof stream === 'object' && stream !== null ? Reflect.get(stream, 'fd') : null
  return typeof fd === 'number' ? fd : null
}

function withInput(streams: StdioEntry[], { input, encoding }: Normal): StdioEntry[] {
  const [first, ...others] = streams
  if (first === undefined || input === undefined || input === null || input === '') return streams
  const bytes = typeof input === 'string' ? Buffer.from(input, encoding as BufferEncoding) : input
  return [{ ...first, ...{ input: bytes } }, ...others]
}

function optionsOf(given: unknown): Options {
  return typeof given === 'object' && given !== null ? { ...given } : {}
}
