/**
 * `spawnSync`, `execSync` and `execFileSync`, at the one native function that they end in: a call that
 * returns at once. What Node makes of the answer (encodings, errors, the text of a failure) is its own in
 * both modes.
 */
import { fieldsOf, type Json, label } from '../../base/index.ts'
import { outputIsTerminal, syncSpawner, unreadPipe } from '../../real/child-handles.ts'
import { monotonicMs } from '../../real/clock.ts'
import { realProcess } from '../../real/program.ts'
import { isLoadersCall } from '../caller.ts'
import type { ChildOptions, ChildStart } from '../child-contract.ts'
import { childFolder } from '../child-folder.ts'
import { activeSession, outside } from '../context.ts'
import { inheritedFields } from '../inherited-env.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Answer, Session } from '../session.ts'
import { envOf, handOverTo, pairsOf } from './launched-child.ts'
import { type TapedChild, tapedChild } from './recorded-child.ts'
import { shareFiles } from './shared-files.ts'
import { childEnv, spawnCall } from './spawn-call.ts'
import { passedAs, planStdio, type StdioEntry, type StreamPlan, sharesTerminal } from './stdio-plan.ts'

export type SyncOptions = {
  maxBuffer?: unknown
  timeout?: unknown
  killSignal?: unknown
  stdio: StdioEntry[]
}
export type SyncResult = {
  pid: number
  status: number | null
  signal: string | null
  output: (Uint8Array | null)[] | null
  error?: number
}
type SpawnAnswer = Extract<Answer, { type: 'process_spawn' }>

const PROCESS = label('process')

export function syncPatches(): Patch[] {
  // If Node denies the native function, the functions above it are replaced: see sync-functions.ts.
  if (syncSpawner === null) return []
  const patch = patchFunction(syncSpawner, 'spawn', (original) => {
    const spawn = function (this: unknown, options: SyncOptions): unknown {
      const session = activeSession('process')
      const real = (given: SyncOptions): SyncResult => outside(() => Reflect.apply(original, this, [given]))
      if (session === null || isLoadersCall(spawn as AnyFunction)) return real(options)
      return spawnSyncIn(session, options, real)
    }
    return spawn as AnyFunction
  })
  return [patch]
}

/** What Node's own code gets from the native function in this session. */
export function spawnSyncIn(
  session: Session,
  options: SyncOptions,
  real: (given: SyncOptions) => SyncResult,
): SyncResult {
  const call = spawnCall([options])
  const started = { file: call.file, args: call.args, cwd: call.cwd, env: envOf(call.envPairs) }
  const claimed = session.isLive(PROCESS) ? handOverTo(session, started, call.stdio) : null
  if (claimed !== null) return real({ ...options, ...{ envPairs: pairsOf(claimed) } })
  const plans = planStdio(call.stdio, outputIsTerminal)
  shareFiles(call.stdio)
  const child: ChildStart = {
    program: call.file,
    args: call.args.slice(1),
    cwd: call.cwd,
    ...childEnv(session, call.envPairs),
    stdio: plans.map(({ use }, at) => (use === 'passed' ? passedAs(call.stdio[at]) : use)),
    options: { ...call.options, ...limitsOf(options) },
    pid: null,
    errno: 0,
  }
  const input = inputOf(call.stdio)
  if (session.isLive(PROCESS) && sharesTerminal(call.stdio, outputIsTerminal)) {
    session.gap(
      PROCESS,
      `the subprocess ${call.file} has the terminal for itself: what it prints is not recorded`,
    )
  }
  const perform = (): Answer => {
    const taped = tapedChild(session, call)
    const folder = childFolder(session, call)
    const given = throughPipes(folder === null ? options : { ...options, ...{ cwd: folder } }, plans)
    let tape: string | null = null
    const run = (): SyncResult => {
      if (taped === null) return real(given)
      const result = real(withTape(given, taped))
      tape = taped.ownTape()
      return taped.secrets === null ? result : withoutPipe(result, call.stdio, tape !== null)
    }
    const done = performed(child, input, run)
    return tape === null ? done : { ...done, tape }
  }
  const answer = session.answer(PROCESS, call.file, perform, () => input ?? new Uint8Array(), child)
  if (answer.type !== 'process_spawn') throw new Error(`a subprocess was answered with ${answer.type}`)
  return resultOf(answer, plans)
}

/** Node's default. */
const USUAL_MAX_BUFFER = 1024 * 1024

/** What the program set for `timeout`, `killSignal` and `maxBuffer`. */
function limitsOf({
  timeout,
  killSignal,
  maxBuffer,
}: SyncOptions): Pick<ChildOptions, 'timeout' | 'killSignal' | 'maxBuffer'> {
  return {
    ...(typeof timeout === 'number' && timeout > 0 ? { timeout } : {}),
    ...(typeof killSignal === 'number' ? { killSignal } : {}),
    ...(typeof maxBuffer === 'number' && maxBuffer !== USUAL_MAX_BUFFER
      ? { maxBuffer: Number.isFinite(maxBuffer) ? maxBuffer : null }
      : {}),
  }
}

type StdioInput = StdioEntry & { readonly input?: unknown }

function inputOf(stdio: readonly StdioInput[]): Uint8Array | null {
  const input = stdio[0]?.input
  return ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : null
}

/** The same call, with a pipe wherever the child would write to our own output. */
function throughPipes(options: SyncOptions, plans: readonly StreamPlan[]): SyncOptions {
  if (!plans.some(({ use }) => use === 'copied')) return options
  const stdio = options.stdio.map((entry, at) =>
    plans[at]?.use === 'copied' ? { type: 'pipe', ...{ readable: false, writable: true } } : entry,
  )
  // The limit is for what the caller collects; output that is only passed on has none.
  const collects = plans.some(({ use }, at) => use === 'pipe' && at > 0)
  return Object.assign(Object.create(null), options, {
    stdio,
    ...(collects ? {} : { maxBuffer: Number.POSITIVE_INFINITY }),
  })
}

/** The same call for a child that records itself. */
function withTape(options: SyncOptions, { envPairs, secrets }: TapedChild): SyncOptions {
  const pipe = { type: 'pipe', ...{ readable: true, writable: false, input: secrets } }
  const stdio = secrets === null ? options.stdio : [...options.stdio, pipe]
  return Object.assign(Object.create(null), options, { envPairs, stdio })
}

/** Every system buffers this many bytes, even if nothing reads them. */
const MAX_UNREAD_BYTES = 8 * 1024

/**
 * The result without our pipe. A child may end before it reads the pipe (`node --version`): Node reports that
 * as an error of the call. A child with a tape has read the pipe, so the error is about the program's own
 * input. It is also about that input if the input is too long to be buffered unread.
 */
function withoutPipe(result: SyncResult, stdio: readonly StdioInput[], hasTape: boolean): SyncResult {
  const { error, ...rest } = result
  const output = result.output?.slice(0, stdio.length) ?? null
  const ownBytes = stdio.reduce(
    (sum, { input }) => sum + (ArrayBuffer.isView(input) ? input.byteLength : 0),
    0,
  )
  const isOurs = ownBytes === 0 || (!hasTape && ownBytes <= MAX_UNREAD_BYTES)
  return isOurs && error !== undefined && unreadPipe.has(error) ? { ...rest, output } : { ...result, output }
}

function performed(child: ChildStart, input: Uint8Array | null, run: () => SyncResult): SpawnAnswer {
  const startedAt = monotonicMs()
  const { pid, status, signal, output, error } = run()
  const more: Record<string, Json> = {}
  for (const [at, bytes] of (output ?? []).entries())
    if (at > 2 && bytes !== null) more[String(at)] = Buffer.from(bytes).toString('base64')
  return {
    type: 'process_spawn',
    program: child.program,
    args: child.args,
    cwd: child.cwd,
    exitCode: status ?? (error === undefined ? -1 : error),
    ...(signal === null ? {} : { signal: label(signal) }),
    durationMs: Math.max(0, Math.round(monotonicMs() - startedAt)),
    stdout: output?.[1] ?? new Uint8Array(),
    stderr: output?.[2] ?? new Uint8Array(),
    ...(input === null ? {} : { stdin: input }),
    io: {
      pid,
      status,
      streams: [...child.stdio],
      output: output === null ? null : output.map((bytes) => bytes !== null),
      ...(error === undefined ? {} : { errno: error }),
      ...(Object.keys(more).length === 0 ? {} : { more }),
      ...(Object.keys(child.env).length === 0 ? {} : { env: child.env }),
      ...inheritedFields(child.inherited),
      ...child.options,
    },
  }
}

/**
 * What Node's own code expects from the native function. The child's output to our streams is written there.
 */
function resultOf(answer: SpawnAnswer, plans: readonly StreamPlan[]): SyncResult {
  const io = fieldsOf(answer.io)
  const more = fieldsOf(io.more)
  const bytesOf = (at: number): Uint8Array => {
    const text = more[String(at)]
    if (at === 1) return answer.stdout
    return at === 2 ? answer.stderr : Buffer.from(typeof text === 'string' ? text : '', 'base64')
  }
  const there = Array.isArray(io.output) ? io.output : null
  const output = plans.map(({ use }, at) => {
    const isThere = there === null ? use === 'pipe' && at > 0 : there[at] === true
    if (use === 'copied' && isThere) writeOut(plans[at], bytesOf(at))
    return use === 'copied' || !isThere ? null : asBuffer(bytesOf(at))
  })
  const { status, errno, pid } = io
  // In the order of Node's own result: programs print it.
  return {
    ...(typeof errno === 'number' ? { error: errno } : {}),
    status:
      typeof status === 'number'
        ? status
        : 'status' in io || answer.signal !== undefined
          ? null
          : answer.exitCode,
    signal: answer.signal ?? null,
    output: io.output === null ? null : output,
    pid: typeof pid === 'number' ? pid : 0,
  }
}

/** The bytes are not shared. */
function asBuffer(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function writeOut(plan: StreamPlan | undefined, bytes: Uint8Array): void {
  if (plan?.use === 'copied' && bytes.byteLength > 0) realProcess[plan.to].write(bytes)
}
