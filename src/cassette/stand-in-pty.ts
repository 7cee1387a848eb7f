/**
 * Plays a cassette instead of a child on a terminal, with the interface of node-pty's `IPty`. The program
 * gets the recorded output; what it types, resizes and signals is compared with the recording. Nothing is
 * started.
 *
 * Output that was recorded after an input is delivered after that input. Only the bytes of writes are
 * compared, not how they are split; a mask in the recording matches any one byte. A difference is thrown by
 * the call that made it, kept in `findings`, and ends the session.
 */
import { RepriseError } from '../errors/index.ts'
import { realSetImmediate } from '../real/clock.ts'
import { signalNumber } from '../real/signals.ts'
import type { CassetteEvent, InputRecord, Size } from './codec/records.ts'
import type { CassetteReader } from './reader/reader.ts'
import { type ReplayOptions, replayMode, sleepOrAbort } from './reader/replay.ts'
import { MASK } from './scrub/secret-finder.ts'
import { shellCode } from './session/exit-status.ts'

type Listener<T> = (value: T) => void
type Subscription = { dispose(): void }

export type StandInPty = {
  readonly pid: number
  readonly cols: number
  readonly rows: number
  readonly process: string
  handleFlowControl: boolean
  readonly onData: (listener: Listener<string | Uint8Array>) => Subscription
  readonly onExit: (listener: Listener<{ exitCode: number; signal?: number }>) => Subscription
  write(data: string | Uint8Array): void
  resize(cols: number, rows: number): void
  clear(): void
  kill(signal?: string): void
  pause(): void
  resume(): void
  /**
   * What it waits for, in words, or null: a program that hangs waits for output that the recording has only
   * after this.
   */
  readonly waitingFor: string | null
  readonly findings: readonly RepriseError[]
  /**
   * Resolves when everything has been played, or a difference has ended it. Input that never came is a
   * finding.
   */
  readonly done: Promise<readonly RepriseError[]>
}

export type StandInOptions = Pick<ReplayOptions, 'mode' | 'scale' | 'sleeper'> & {
  /** As node-pty: text unless null, then bytes. Default `utf8`. */
  readonly encoding?: 'utf8' | null
  /** Default: a number that no process has. */
  readonly pid?: number
}

export function createStandInPty(reader: CassetteReader, options: StandInOptions = {}): StandInPty {
  const { terminal, command } = reader.manifest()
  const events = reader
    .events()
    .filter((event) => event.kind === 'output' || event.kind === 'final' || isDriven(event))
  const mode = replayMode(options.mode ?? 'collapsed')
  const sleep = options.sleeper ?? sleepOrAbort
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const dataListeners = new Set<Listener<string | Uint8Array>>()
  const exitListeners = new Set<Listener<{ exitCode: number; signal?: number }>>()
  const findings: RepriseError[] = []
  let size = { rows: terminal.initialRows, cols: terminal.initialCols }
  let at = 0
  let lastMs: number | null = null
  /** What the program did and the recording has not come to yet. */
  const ahead: Action[] = []
  let paused = false
  let playing = false
  let ended = false
  let finish: (findings: readonly RepriseError[]) => void = () => undefined
  const done = new Promise<readonly RepriseError[]>((resolve) => {
    finish = resolve
  })

  const next = (): CassetteEvent | undefined => events[at]
  const expected = (): InputRecord | null => {
    const event = next()
    return event?.kind === 'input' ? event.input : null
  }
  const end = (exitCode: number, signal: number | null): void => {
    if (ended) return
    ended = true
    for (const listener of [...exitListeners]) listener(signal === null ? { exitCode } : { exitCode, signal })
    finish(findings)
  }
  const differ = (did: string, wanted: string): RepriseError => {
    const error = new RepriseError(
      'cassette-input-differs',
      `the program ${did}, the recording has ${wanted}`,
      {
        details: { seq: next()?.seq ?? null, did, wanted },
        hint: 'record again, or see what changed in the program',
      },
    )
    findings.push(error)
    realSetImmediate(() => end(-1, null))
    return error
  }
  const emit = (bytes: Uint8Array): void => {
    const data = options.encoding === null ? bytes : decoder.decode(bytes, { stream: true })
    if (data.length > 0) for (const listener of [...dataListeners]) listener(data)
  }
  /** Plays until an input is due, one event per turn of the loop. */
  const play = async (): Promise<void> => {
    if (playing || paused || ended) return
    playing = true
    for (
      let event = next();
      event !== undefined && event.kind !== 'input' && !paused && !ended;
      event = next()
    ) {
      const gapMs =
        lastMs === null || mode === 'collapsed'
          ? 0
          : (event.tMs - lastMs) * (mode === 'scaled' ? (options.scale ?? 1) : 1)
      lastMs = event.tMs
      if (gapMs > 0) await sleep(gapMs, undefined)
      else await new Promise<void>((resolve) => void realSetImmediate(resolve))
      if (ended || paused) break
      at += 1
      if (event.kind === 'output') emit(reader.outputBytes(event.output))
      else if (event.kind === 'final') finalExit(event.final.exit)
    }
    playing = false
    try {
      settle()
    } catch (error) {
      // What was done ahead of time differs: there is no call to throw into any more, the finding is kept.
      if (!findings.some((finding) => finding === error)) throw error
    }
  }
  const finalExit = (exit: ReturnType<CassetteReader['final']>['exit']): void => {
    const [extra] = ahead
    if (extra !== undefined) differ(didWhat(extra), 'the end')
    if (exit === null) end(0, null)
    else end(exit.signaled ? 0 : exit.code, exit.signaled ? shellCode(exit, signalNumber) - 128 : null)
  }
  const advance = (): void => {
    lastMs = next()?.tMs ?? lastMs
    at += 1
    void play()
  }
  /** Takes what the program did off against the inputs that are due. */
  const settle = (): void => {
    for (let wanted = expected(); wanted !== null && !ended; wanted = expected()) {
      const action = ahead[0]
      if (action === undefined) return
      const bytes = wanted.bytes ?? new Uint8Array()
      if (action.kind === 'typed' && wanted.kind !== 'resize' && wanted.kind !== 'signal') {
        const length = Math.min(bytes.byteLength, action.bytes.byteLength)
        for (let index = 0; index < length; index += 1) {
          if (bytes[index] !== action.bytes[index] && bytes[index] !== MASK)
            throw differ(didWhat(action), `${shown(bytes)} here`)
        }
        if (action.bytes.byteLength < bytes.byteLength) {
          const more = ahead[1]
          if (more?.kind !== 'typed') return
          ahead.splice(0, 2, { kind: 'typed', bytes: Buffer.concat([action.bytes, more.bytes]) })
          continue
        }
        if (action.bytes.byteLength === bytes.byteLength) ahead.shift()
        else ahead[0] = { kind: 'typed', bytes: action.bytes.subarray(bytes.byteLength) }
      } else if (
        action.kind === 'resized' &&
        wanted.kind === 'resize' &&
        wanted.size?.rows === action.size.rows &&
        wanted.size.cols === action.size.cols
      ) {
        ahead.shift()
      } else if (action.kind === 'signalled' && wanted.kind === 'signal') ahead.shift()
      else throw differ(didWhat(action), inWords(wanted))
      advance()
    }
  }
  const act = (action: Action): void => {
    if (ended) return
    ahead.push(action)
    settle()
  }

  realSetImmediate(() => void play())
  return {
    pid: options.pid ?? 2 ** 30 + Math.floor(reader.events().length),
    get cols() {
      return size.cols
    },
    get rows() {
      return size.rows
    },
    process: command.argv[0] ?? '',
    handleFlowControl: false,
    onData: (listener) => subscribe(dataListeners, listener),
    onExit: (listener) => subscribe(exitListeners, listener),
    write: (data) => act({ kind: 'typed', bytes: typeof data === 'string' ? Buffer.from(data) : data }),
    resize(cols, rows) {
      if (cols === size.cols && rows === size.rows) return
      size = { rows, cols }
      act({ kind: 'resized', size })
    },
    clear: () => undefined,
    kill(signal = 'SIGHUP') {
      const isRecorded = events
        .slice(at)
        .some((event) => event.kind === 'input' && event.input.kind === 'signal')
      if (isRecorded) act({ kind: 'signalled', signal })
      // A driver that closes its terminal at the end has no record of its own.
      else end(0, signalNumber(signal))
    },
    pause() {
      paused = true
    },
    resume() {
      paused = false
      void play()
    },
    get waitingFor() {
      const wanted = expected()
      return ended || wanted === null ? null : inWords(wanted)
    },
    findings,
    done,
  }
}

type Action =
  | { readonly kind: 'typed'; readonly bytes: Uint8Array }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'signalled'; readonly signal: string }

function didWhat(action: Action): string {
  switch (action.kind) {
    case 'typed':
      return `typed ${shown(action.bytes)}`
    case 'resized':
      return `resized to ${action.size.rows}x${action.size.cols}`
    case 'signalled':
      return `sent ${action.signal}`
  }
}

/** What the driver of the terminal did; answers of the recorder's own emulator were not its doing. */
function isDriven(event: CassetteEvent): boolean {
  return event.kind === 'input' && !event.input.reply
}

function subscribe<T>(listeners: Set<Listener<T>>, listener: Listener<T>): Subscription {
  listeners.add(listener)
  return { dispose: () => void listeners.delete(listener) }
}

function shown(bytes: Uint8Array): string {
  return JSON.stringify(Buffer.from(bytes.subarray(0, 60)).toString('utf8'))
}

function inWords(input: InputRecord): string {
  if (input.kind === 'resize') return `a resize to ${input.size?.rows}x${input.size?.cols}`
  if (input.kind === 'signal') return `the signal ${input.signal}`
  return `${shown(input.bytes ?? new Uint8Array())} typed`
}
