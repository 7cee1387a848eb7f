/**
 * Functions that are refused only for some arguments. Each has a rule that decides which calls reach nothing
 * outside the process; the rule is the reason why the call is harmless.
 */
import type { CrossingName } from '../names.ts'
import type { IsHarmless } from './refuse.ts'
import { areHarmlessFlags } from './v8-flags.ts'

/** Where Node's own `process.kill` is. */
const PROCESS_KILL = 'node:internal/process/per_thread'

export type Guard = {
  readonly module: string
  readonly path: readonly string[]
  readonly name: string
  readonly boundary: CrossingName
  readonly isHarmless: IsHarmless
  /** See `Refusal`. */
  readonly isSwitch?: boolean
}

/** Internal modules of Node that contain constants and type checks. */
const PLAIN_BINDINGS: ReadonlySet<unknown> = new Set(['config', 'constants', 'natives', 'util', 'uv'])

export const guards: readonly Guard[] = [
  // `process.kill` ends in it, and is captured.
  {
    module: 'process',
    path: [],
    name: '_kill',
    boundary: 'process',
    isHarmless: (_args, _isLive, caller) => caller() === PROCESS_KILL,
  },
  // In a recording `listen` calls it, and is the gap.
  {
    module: 'net',
    path: ['Server#'],
    name: '_listen2',
    boundary: 'network',
    isHarmless: (_args, isLive) => isLive,
  },
  {
    module: 'process',
    path: [],
    name: 'binding',
    boundary: 'process',
    isHarmless: ([name]) => PLAIN_BINDINGS.has(name),
  },
  // If it is on, it makes the process listen to a signal, and Node writes a report for each.
  {
    module: 'process',
    path: ['report'],
    name: 'reportOnSignal',
    boundary: 'process',
    isHarmless: ([value]) => value !== true,
  },
  ...['reportOnFatalError', 'reportOnUncaughtException'].map(
    // If it is on, Node writes a report when the process fails. What is on it reaches no program.
    (name): Guard => ({
      module: 'process',
      path: ['report'],
      name,
      boundary: 'process',
      isHarmless: () => true,
      isSwitch: true,
    }),
  ),
  // Behind the wall: what is dropped may be what the replay itself needs to write its verdict.
  { module: 'process', path: ['permission'], name: 'drop', boundary: 'process', isHarmless: () => false },
  // Without a process, or with 0, it is this one.
  {
    module: 'os',
    path: [],
    name: 'setPriority',
    boundary: 'process',
    isHarmless: ([pid, priority]) => priority === undefined || pid === 0,
  },
  {
    module: 'v8',
    path: [],
    name: 'setFlagsFromString',
    boundary: 'filesystem',
    isHarmless: ([flags]) => areHarmlessFlags(flags),
  },
  ...[
    ['tls', 'createSecureContext'],
    ['tls', 'createServer'],
    ['_tls_common', 'createSecureContext'],
    ['_tls_wrap', 'createServer'],
  ].map(
    ([module = '', name = '']): Guard => ({
      module,
      path: [],
      name,
      boundary: 'network',
      isHarmless: ([options]) => !namesEngine(options),
    }),
  ),
]

/** An engine of OpenSSL is native code. */
function namesEngine(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return false
  return ['clientCertEngine', 'privateKeyEngine'].some((name) => {
    const value: unknown = Reflect.get(options, name)
    return value !== undefined && value !== null
  })
}
