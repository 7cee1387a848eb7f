/**
 * Records one program from start to end: session, recorder, frames at most once per step of time, and the
 * answers that a terminal owes the program where no real one is attached. A script that fails leaves no
 * cassette.
 */
import { basename } from 'node:path'
import { isRepriseError, RepriseError } from '../errors/index.ts'
import { monotonicMs, now, realClearTimeout, realSetTimeout } from '../real/clock.ts'
import { realEnv } from '../real/process.ts'
import { createScrubber, type Scrubber } from '../scrub/index.ts'
import type { ExitStatus, Size } from './codec/records.ts'
import { DEFAULT_RESOLUTION_MS, type ManifestDraft } from './recorder/manifest-draft.ts'
import { createRecorder, type Recorder } from './recorder/recorder.ts'
import { allowedEnvironment, DEFAULT_TERM, localeOf } from './session/environment.ts'
import { createLiveScreen } from './session/live-screen.ts'
import type { ScriptStep } from './session/script.ts'
import { runScript } from './session/script-run.ts'
import { type Session, type SessionOptions, startSession } from './session/session.ts'
import { checkedSize } from './terminal/terminal.ts'

export type RecordOptions = SessionOptions & {
  readonly out: string
  readonly force?: boolean
  readonly scrubber?: Scrubber
  readonly resolutionMs?: number
  /** Default true. Without frames nothing is rendered; any screen can still be shown later from the bytes. */
  readonly frames?: boolean
  /** Full cells in every frame instead of differences. */
  readonly fullCells?: boolean
  /** Pauses longer than this are recorded as this long. */
  readonly idleLimitMs?: number
  readonly manifest?: ManifestDraft
  readonly script?: readonly ScriptStep[]
  /** False where a real terminal shows the output and answers the program's queries. Default true. */
  readonly answerQueries?: boolean
  /** Sees the program's own bytes, in order; what it returns is waited for. */
  readonly onOutput?: (bytes: Uint8Array) => void | Promise<void>
  /** Called once the program runs: connects keyboard and resizes. */
  readonly onStart?: (session: Session) => void
}

export type Recorded = {
  readonly folder: string
  readonly exit: ExitStatus
  readonly timedOut: boolean
  readonly bytes: number
}

/** How long the line of a chunk may wait for a moment in which it costs nothing. */
const PUT_OFF_MS = 20

export async function recordSession(options: RecordOptions): Promise<Recorded> {
  const size = checkedSize(options.size ?? { rows: 24, cols: 80 })
  const { env, allowlist } = allowedEnvironment(realEnv, {
    ...(options.env === undefined ? {} : { add: options.env }),
    ...(options.locale === undefined ? {} : { locale: options.locale }),
  })
  const scrubber = options.scrubber ?? createScrubber({ env: { ...realEnv, ...env } })
  const startMs = monotonicMs()
  // Create the recorder first: an unwritable folder must fail before the program runs.
  const recorder = createRecorder(options.out, draftOf(options, size, allowlist, localeOf(env)), {
    scrubber,
    clock: { now, elapsed: idleClock(options.idleLimitMs) },
    force: options.force ?? false,
    fullCells: options.fullCells ?? false,
    paced: true,
  })
  try {
    const session = startSession({ ...options, size })
    const ended = await follow(session, recorder, options, size)
    recorder.recordFinal({ exit: ended.exit, durationMs: Math.round(monotonicMs() - startMs) })
    const folder = await recorder.close()
    return { folder, ...ended }
  } catch (error) {
    // A full disk leaves what was written for `repair`; anything else leaves nothing that could pass for a
    // recording.
    if (!isRepriseError(error) || !['cassette-write-failed', 'out-exists'].includes(error.code))
      recorder.abandon()
    throw error
  }
}

async function follow(
  session: Session,
  recorder: Recorder,
  options: RecordOptions,
  size: Size,
): Promise<Omit<Recorded, 'folder'>> {
  const frames = createFrameMarks(
    recorder,
    options.frames ?? true,
    options.resolutionMs ?? DEFAULT_RESOLUTION_MS,
  )
  const isAnswered = options.answerQueries ?? true
  const screen =
    isAnswered || options.script !== undefined
      ? createLiveScreen(size, (bytes) => void session.reply(bytes).catch(ignoreEnd))
      : null
  const script =
    options.script === undefined || screen === null ? null : runScript(options.script, session, screen)
  let failure: unknown = null
  script?.done.catch((error: unknown) => {
    failure = error
    return session.kill()
  })
  session.meanwhile(() => recorder.meanwhile())
  const pace = createPace(recorder)
  options.onStart?.(session)
  let bytes = 0
  let ended: Omit<Recorded, 'folder'> | null = null
  try {
    for await (const event of session.events()) {
      recorder.recordSessionEvent(event)
      if (event.kind === 'output') {
        bytes += event.bytes.byteLength
        frames.output()
        pace.output()
        await screen?.feed(event.bytes)
        await options.onOutput?.(event.bytes)
        script?.output()
        // What the caller was given may be kept; the recorder and the screen keep copies.
        if (options.onOutput === undefined) session.reuse(event.bytes)
      } else if (event.kind === 'resize') {
        await screen?.resize(event.size)
        frames.now()
      } else if (event.kind === 'exit') {
        ended = { exit: event.exit, timedOut: event.timedOut, bytes }
      }
    }
    script?.ended()
    if (script !== null) await script.done.catch(() => undefined)
  } finally {
    frames.end()
    pace.end()
    await session[Symbol.asyncDispose]()
    screen?.dispose()
  }
  if (failure !== null) throw failure
  if (ended === null) throw new RepriseError('internal', 'the session ended without an exit')
  return ended
}

function ignoreEnd(error: unknown): void {
  // The program asked and ended before the answer came.
  if (!isRepriseError(error) || error.code !== 'cassette-session-closed') throw error
}

/**
 * At most one frame per step of time, the last state of a burst included; one after each resize, and one at
 * the end.
 */
function createFrameMarks(
  recorder: Recorder,
  enabled: boolean,
  resolutionMs: number,
): { output(): void; now(): void; end(): void } {
  let timer: ReturnType<typeof realSetTimeout> | null = null
  const mark = (): void => {
    if (timer !== null) realClearTimeout(timer)
    timer = null
    if (enabled) recorder.markFrame()
  }
  return {
    output() {
      if (enabled && timer === null) timer = realSetTimeout(mark, resolutionMs)
    },
    now: mark,
    end: mark,
  }
}

/** After a burst nothing calls `meanwhile`: what was put off is done as soon as there is a pause. */
function createPace(recorder: Recorder): { output(): void; end(): void } {
  let timer: ReturnType<typeof realSetTimeout> | null = null
  const rest = (): void => {
    timer = null
    recorder.catchUp()
  }
  return {
    output() {
      timer ??= realSetTimeout(rest, PUT_OFF_MS)
    },
    end() {
      if (timer !== null) realClearTimeout(timer)
    },
  }
}

/** Elapsed time in which no pause is longer than the limit. */
function idleClock(limitMs: number | undefined): () => number {
  let last = monotonicMs()
  let skipped = 0
  return () => {
    const at = monotonicMs()
    if (limitMs !== undefined && at - last > limitMs) skipped += at - last - limitMs
    last = at
    return at - skipped
  }
}

function draftOf(
  options: RecordOptions,
  size: Size,
  envAllowlist: readonly string[],
  locale: string,
): ManifestDraft {
  const { manifest = {} } = options
  return {
    ...manifest,
    harness: { name: basename(options.argv[0] ?? ''), ...manifest.harness },
    command: {
      argv: options.argv,
      workdirPolicy: options.cwd === undefined ? 'caller' : 'explicit',
      envAllowlist,
      timeoutMs: options.timeoutMs ?? 0,
      permissionMode: options.permissionMode ?? '',
      ...manifest.command,
    },
    terminal: {
      initialRows: size.rows,
      initialCols: size.cols,
      term: options.term ?? DEFAULT_TERM,
      locale: options.locale ?? locale,
      ptyMode: { outer: '@lydell/node-pty' },
      ...manifest.terminal,
    },
    timing: { resolutionMs: options.resolutionMs ?? DEFAULT_RESOLUTION_MS, ...manifest.timing },
  }
}
