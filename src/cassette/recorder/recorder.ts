/**
 * Records a terminal session as a cassette: one `seq` over all streams, time in steps, everything scrubbed
 * before it is written.
 *
 * Calls may come from anywhere in any order: each takes its number and is on its way to disk before it
 * returns. A failed write never reaches the session; `close` throws it. Until `close` there is only the
 * folder `<out>.partial-<pid>`, and after a crash `reprise repair` makes a cassette of it.
 *
 * Decision 0064.
 */
import type { Json } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { monotonicMs, now } from '../../real/clock.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber, type ScrubbedText, type Scrubber } from '../../scrub/index.ts'
import {
  discoveryDocument,
  frameLine,
  quotaDocument,
  serviceEventLine,
  writableJson,
} from '../codec/index.ts'
import type {
  CassetteScrubReport,
  DiscoveryRecord,
  ExitStatus,
  FinalRecord,
  Frame,
  FrameRecord,
  InputRecord,
  Manifest,
  OutputRecord,
  QuotaRecord,
  ServiceEventRecord,
  Size,
  Timed,
} from '../codec/records.ts'
import { DRAFT_FILE, FILES } from '../files/names.ts'
import { checkPlace, moveIntoPlace } from '../files/place.ts'
import { createPartial } from '../files/write-folder.ts'
import { finderOf } from '../scrub/finder-of.ts'
import { maskFrame } from '../scrub/mask-frame.ts'
import { createTerminalScrubber } from '../scrub/stream-scrubber.ts'
import type { SessionEvent } from '../session/session-event.ts'
import { deltaOf } from '../terminal/delta.ts'
import type { Moment } from '../terminal/moments.ts'
import { atOnce, inTime } from '../terminal/steps.ts'
import { checkedSize } from '../terminal/terminal.ts'
import { finishRecording, type Recording } from './finish.ts'
import { createHeldInput } from './held-input.ts'
import { createHeldOutput } from './held-output.ts'
import { type ManifestDraft, manifestFrom, wholeNumber } from './manifest-draft.ts'
import { manifestText } from './manifest-text.ts'
import { createOutputScan } from './output-scan.ts'

export type RecorderOptions = {
  /** Default: one that knows the secrets of this process's environment. */
  readonly scrubber?: Scrubber
  /** Replaces a cassette that is there; it is moved to `<out>.previous`. */
  readonly force?: boolean
  /** Wall clock and elapsed time, in milliseconds. */
  readonly clock?: { now(): number; elapsed(): number }
  /** Write full cells into frames instead of differences. */
  readonly fullCells?: boolean
  /** Marks the cassette as made out of a recording that never closed. */
  readonly incomplete?: boolean
  /** The caller calls `meanwhile` when there is time: what need not be done at once waits for it. */
  readonly paced?: boolean
}

export type InputDraft = {
  readonly kind?: 'input' | 'resize' | 'signal'
  readonly bytes?: Uint8Array
  readonly key?: string
  readonly size?: Size
  readonly signal?: string
  readonly reply?: boolean
}

export type Recorder = AsyncDisposable & {
  /** The partial folder. */
  readonly path: string
  /** The digest of the output is empty until the recording is closed. */
  manifest(): Manifest
  recordInput(input: InputDraft): InputRecord
  recordOutput(bytes: Uint8Array): OutputRecord
  /** A frame of the caller's own terminal. */
  recordFrame(frame: Frame): FrameRecord
  /** A frame of what has been recorded so far; it is rendered from the scrubbed bytes at `close`. */
  markFrame(): Timed
  recordServiceEvent(payload: Json): ServiceEventRecord
  recordSessionEvent(event: SessionEvent): void
  recordFinal(final?: Partial<Omit<FinalRecord, keyof Timed>>): Timed
  writeQuota(quota: Partial<QuotaRecord> & Pick<QuotaRecord, 'source' | 'status'>): void
  writeDiscovery(discovery: Partial<DiscoveryRecord> & Pick<DiscoveryRecord, 'source' | 'status'>): void
  /** Does a little of what would else have to be done at the end. */
  meanwhile(): void
  /** Does all of it that there is by now. */
  catchUp(): void
  /** Labels for the report. Status, rules and counts come from the scan, not from the caller. */
  writeScrubReport(report: Pick<CassetteScrubReport, 'intentionallyPreserved'>): void
  /** Gives the folder of the finished cassette. */
  close(): Promise<string>
  /** The same at once, where nothing can be waited for; into another place, if one is given. */
  closeSync(place?: string): string
  /** Gives up: the partial folder is removed. */
  abandon(): void
}

/**
 * A chunk of this size is part of a burst: there is more to read, and time for the rest between two reads.
 */
const BURST = 32 * 1024
/** What a crash may leave without its line; `repair` keeps the bytes. */
const MOST_BEHIND = 256 * 1024

export function createRecorder(
  out: string,
  draft: ManifestDraft = {},
  options: RecorderOptions = {},
): Recorder {
  const clock = options.clock ?? { now, elapsed: monotonicMs }
  const scrubber = options.scrubber ?? createScrubber({ env: realEnv })
  const force = options.force ?? false
  let manifest = manifestFrom(draft, clock.now())
  const initial = checkedSize({ rows: manifest.terminal.initialRows, cols: manifest.terminal.initialCols })
  checkPlace(out, force)
  const folder = createPartial(out)
  folder.document(DRAFT_FILE, manifestText(manifest, scrubber, {}))
  const startMs = clock.elapsed()
  const resolutionMs = manifest.timing.resolutionMs
  const moments: Moment[] = []
  const outputScan = createOutputScan(scrubber)
  const output = createHeldOutput(folder, outputScan)
  const outputScrubber = createTerminalScrubber(finderOf(scrubber, 'received'), initial.cols)
  let learned = false
  const input = createHeldInput(folder, finderOf(scrubber, 'sent'), (kind, secret) => {
    learned = true
    scrubber.learn(kind, secret)
  })
  let seq = 0
  let lastMs = 0
  let exit: ExitStatus | null = null
  let final: FinalRecord | null = null
  let preserved: readonly string[] = []
  let frameBase: { readonly seq: number; readonly cells: Frame['cells'] } | null = null
  let state: 'open' | 'closed' = 'open'

  const stamp = (): Timed => {
    if (state !== 'open')
      throw new RepriseError('cassette-closed', 'the recorder has been closed', {
        hint: 'make a new recorder',
      })
    seq += 1
    // The clock is the caller's: time on a cassette never goes back.
    lastMs = Math.max(lastMs, Math.floor((clock.elapsed() - startMs) / resolutionMs) * resolutionMs)
    return { seq, tMs: lastMs }
  }
  const words = (text: string): ScrubbedText => scrubber.text(text, 'sent')
  const json = (value: Json): ReturnType<typeof writableJson> =>
    value === null ? null : writableJson(scrubber, value, 'sent')

  /** What is still held back is certain now. */
  const endStreams = (): Recording => {
    state = 'closed'
    output.release(outputScrubber.end())
    output.lookOn(0)
    input.end()
    if (final === null) {
      folder.closeStreams()
      throw new RepriseError(
        'cassette-final-missing',
        'cassette: missing required final.json; call recordFinal before close',
        {
          details: { partial: folder.path },
          hint: `reprise repair ${folder.path} --out DIR makes a cassette of it, marked incomplete`,
        },
      )
    }
    return {
      ...{
        folder,
        manifest,
        final,
        moments,
        chunks: output.chunks,
        scanned: outputScan.end(),
        scrubber,
        preserved,
      },
      paintsOutOfOrder: outputScrubber.outOfOrder || learned,
      masked: outputScrubber.masked,
      fullCells: options.fullCells === true,
      incomplete: options.incomplete === true,
    }
  }

  const recorder: Recorder = {
    path: folder.path,
    manifest: () => manifest,
    recordInput({ kind = 'input', bytes, key = '', size, signal = '', reply = false }) {
      if (size !== undefined) checkedSize(size)
      const record: InputRecord = {
        ...stamp(),
        kind,
        bytes: bytes ?? null,
        key,
        size: size ?? null,
        signal,
        reply,
      }
      if (record.size !== null && kind === 'resize') {
        outputScrubber.resize(record.size.cols)
        moments.push({ kind: 'resize', seq: record.seq, tMs: record.tMs, size: record.size })
      }
      input.arrive(record, { kind: words(kind), key: words(key), signal: words(signal) }, outputScrubber.tail)
      return record
    },
    recordOutput(bytes) {
      const record = output.arrive(stamp(), bytes.byteLength)
      moments.push({
        kind: 'output',
        seq: record.seq,
        tMs: record.tMs,
        start: record.offset,
        end: record.offset + record.length,
      })
      for (const part of outputScrubber.pushParts(bytes)) output.release(part)
      output.lookOn(options.paced === true && bytes.byteLength >= BURST ? MOST_BEHIND : 0)
      return record
    },
    recordFrame(frame) {
      const at = stamp()
      const shown = maskFrame(frame, finderOf(scrubber, 'received'))
      const cells = options.fullCells === true ? shown.cells : null
      const delta =
        options.fullCells === true
          ? null
          : deltaOf(sameSize(frameBase, shown) ? frameBase : null, shown.cells)
      frameBase = { seq: at.seq, cells: shown.cells }
      const record: FrameRecord = { ...at, ...shown, cells, delta }
      folder.appendLine(FILES.frames, frameLine(scrubber.value(record, 'received')))
      return record
    },
    markFrame() {
      const at = stamp()
      moments.push({ kind: 'look', ...at })
      return at
    },
    recordServiceEvent(payload) {
      const at = stamp()
      folder.appendLine(FILES.serviceEvents, serviceEventLine({ ...at, payload: json(payload) }))
      return { ...at, payload }
    },
    recordSessionEvent(event) {
      switch (event.kind) {
        case 'output':
          recorder.recordOutput(event.bytes)
          return
        case 'input':
        case 'resize':
        case 'signal':
          recorder.recordInput(event)
          return
        case 'exit':
          exit = event.exit
          return
      }
    },
    recordFinal(given = {}) {
      if (final !== null)
        throw new RepriseError('cassette-final-twice', 'recordFinal was called twice', {
          hint: 'a session ends once',
        })
      const durationMs = wholeNumber('durationMs', given.durationMs || Math.round(clock.elapsed() - startMs))
      const at = stamp()
      final = {
        exit,
        metadata: null,
        usage: null,
        costUsd: 0,
        routingActual: '',
        sessionLogPath: '',
        finalText: '',
        ...given,
        ...at,
        durationMs,
      }
      return at
    },
    writeQuota(quota) {
      const { metadata, windows = [], ...texts } = quota
      const named = { capturedAt: '', freshnessWindow: '', stalenessBehavior: '', accountClass: '', ...texts }
      const scrubbed = scrubber.value(named, 'received')
      folder.document(
        FILES.quota,
        quotaDocument({
          ...scrubbed,
          windows: windows.map((window) => json(window)),
          metadata: json(metadata ?? null),
        }),
      )
    },
    writeDiscovery(discovery) {
      const { metadata, ...texts } = discovery
      const named = {
        models: [],
        reasoningLevels: [],
        capturedAt: '',
        freshnessWindow: '',
        stalenessBehavior: '',
        ...texts,
      }
      folder.document(
        FILES.discovery,
        discoveryDocument({ ...scrubber.value(named, 'received'), metadata: json(metadata ?? null) }),
      )
    },
    meanwhile() {
      if (state === 'open') output.look()
    },
    catchUp() {
      if (state === 'open') output.lookOn(0)
    },
    writeScrubReport(report) {
      preserved = report.intentionallyPreserved
    },
    async close() {
      if (state === 'closed') return out
      const recording = endStreams()
      manifest = await inTime(finishRecording(recording, folder.startSync(FILES.raw)))
      moveIntoPlace(folder.path, out, force)
      return out
    },
    closeSync(place = out) {
      if (state === 'closed') return place
      manifest = atOnce(finishRecording(endStreams(), null))
      moveIntoPlace(folder.path, place, force)
      return place
    },
    abandon() {
      state = 'closed'
      folder.closeStreams()
      folder.remove()
    },
    async [Symbol.asyncDispose]() {
      if (state === 'open') await recorder.close()
    },
  }
  return recorder
}

function sameSize(base: { readonly cells: Frame['cells'] } | null, frame: Frame): boolean {
  return (
    base !== null &&
    base.cells.length === frame.cells.length &&
    base.cells[0]?.length === frame.cells[0]?.length
  )
}
