/**
 * The last steps of a recording, from its streams to a manifest: scan everything once more, look at every
 * screen, render the frames, write the documents, and only then the manifest, which is what makes a folder a
 * cassette.
 *
 * What still shows a secret is masked by rewriting; what cannot be is refused and removed.
 *
 * Decisions 0061 and 0162.
 */
import { faultPoint } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { type Sha256Hex, sha256 } from '../../real/sha256.ts'
import type { ScrubbedBytes, ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import { manifestDigest, NO_DIGEST, repriseSection } from '../codec/digests.ts'
import { finalDocument, frameLine, scrubReportDocument, writableJson } from '../codec/index.ts'
import type { FinalRecord, FrameRecord, Manifest, OutputRecord, Size } from '../codec/records.ts'
import type { FrameScheme, WireValue, Writable } from '../codec/writable.ts'
import { FILES, type FileName, OPTIONAL_FILES, REQUIRED_FILES } from '../files/names.ts'
import type { PartialFolder } from '../files/write-folder.ts'
import { finderOf } from '../scrub/finder-of.ts'
import { maskPaintedSecrets, showsSecret } from '../scrub/painted-secrets.ts'
import { scanFolder } from '../scrub/scan-folder.ts'
import { createTerminalScrubber } from '../scrub/stream-scrubber.ts'
import { deltaOf } from '../terminal/delta.ts'
import { type Moment, momentSteps } from '../terminal/moments.ts'
import type { Steps } from '../terminal/steps.ts'
import { outputLines } from './held-output.ts'
import { manifestText } from './manifest-text.ts'
import type { ScanResult } from './output-scan.ts'

export type Recording = {
  readonly folder: PartialFolder
  readonly manifest: Manifest
  readonly final: FinalRecord
  readonly moments: readonly Moment[]
  readonly chunks: readonly Omit<OutputRecord, 'sha256'>[]
  /** What the second look at output.raw has shown. */
  readonly scanned: ScanResult
  readonly scrubber: Scrubber
  readonly preserved: readonly string[]
  readonly paintsOutOfOrder: boolean
  /** The text behind each mask of the stream, by position. */
  readonly masked: ReadonlyMap<number, number>
  readonly fullCells: boolean
  readonly incomplete: boolean
}

const MOST_PASSES = 4

/**
 * Returns the manifest as written. `synced` is output.raw on its way to the disk, if somebody can wait for
 * it.
 */
export function* finishRecording(recording: Recording, synced: Promise<void> | null): Steps<Manifest> {
  const { folder, manifest, scrubber } = recording
  throwFailure(folder)
  const size: Size = { rows: manifest.terminal.initialRows, cols: manifest.terminal.initialCols }
  const isPlain = recording.scanned.plain && !recording.paintsOutOfOrder
  const cleaned = isPlain ? null : yield* cleanRaw(recording, size)
  const finalText = hasFrames(recording)
    ? yield* writeFrames(recording, cleaned?.raw ?? folder.read(FILES.raw), size)
    : ''
  if (synced !== null) yield synced
  folder.closeStreams()
  writeFinal(recording, finalText)
  writeReport(recording)
  const left = scanFolder((name) => readOrNull(folder, name), scrubber)
  if (left !== null) throw secretLeft(folder, left)
  const rawDigest = cleaned?.digest ?? recording.scanned.digest
  const complete = { ...manifest, contentDigest: { sha256: rawDigest } }
  writeManifest(recording, complete, rawDigest)
  folder.sync()
  throwFailure(folder)
  return complete
}

/** output.raw as it will stay: scanned again as a stream, and as it looks on the screen. */
function* cleanRaw(
  recording: Recording,
  size: Size,
): Steps<{ readonly raw: Uint8Array; readonly digest: Sha256Hex }> {
  const { folder, scrubber, moments } = recording
  const before = folder.read(FILES.raw)
  const finder = finderOf(scrubber, 'received')
  let raw = rescanned(before, recording, size)
  if (recording.paintsOutOfOrder) {
    raw = yield* maskedAsShown(raw, recording, size)
    for (let pass = 0; yield* showsSecret(raw, moments, size, finder); pass += 1) {
      if (raw === before) raw = Uint8Array.from(before)
      if (pass === MOST_PASSES || (yield* maskPaintedSecrets(raw, moments, size, finder)) === 0)
        throw secretLeft(folder, 'the screen')
    }
  }
  if (raw === before) return { raw, digest: recording.scanned.digest }
  folder.rewrite(FILES.raw, raw as ScrubbedBytes)
  folder.rewrite(
    FILES.output,
    Buffer.from(outputLines(recording.chunks, raw, sha256)) as Uint8Array as ScrubbedBytes,
  )
  return { raw, digest: sha256(raw) }
}

/**
 * Searches the screens as the program painted them, before anything was masked: of a secret that was painted
 * in parts the stream may have known one, and on a screen where that one is masked the others look like
 * nothing.
 */
function* maskedAsShown(
  raw: Uint8Array,
  { masked, moments, scrubber }: Recording,
  size: Size,
): Steps<Uint8Array> {
  if (masked.size === 0) return raw
  const shown = Uint8Array.from(raw)
  for (const [at, byte] of masked) shown[at] = byte
  const painted = Uint8Array.from(shown)
  // The secret was counted when its part was masked.
  const finder = { ...finderOf(scrubber, 'received'), note: () => undefined }
  if ((yield* maskPaintedSecrets(painted, moments, size, finder)) === 0) return raw
  const clean = Uint8Array.from(raw)
  let isChanged = false
  painted.forEach((byte, at) => {
    if (byte === shown[at] || masked.has(at)) return
    clean[at] = byte
    isChanged = true
  })
  return isChanged ? clean : raw
}

function rescanned(raw: Uint8Array, recording: Recording, size: Size): Uint8Array {
  const scrubber = createTerminalScrubber(finderOf(recording.scrubber, 'received'), size.cols)
  const parts: Uint8Array[] = []
  for (const moment of recording.moments) {
    if (moment.kind === 'resize') scrubber.resize(moment.size.cols)
    else if (moment.kind === 'output') parts.push(scrubber.push(raw.subarray(moment.start, moment.end)))
  }
  parts.push(scrubber.end())
  let at = 0
  for (const part of parts) {
    if (Buffer.compare(part, raw.subarray(at, at + part.byteLength)) !== 0) return Buffer.concat(parts)
    at += part.byteLength
  }
  return raw
}

/**
 * Frames at the moments that were marked, and the text of the last screen. Without marks nothing is rendered:
 * a recording without frames is cheap.
 */
function* writeFrames(recording: Recording, raw: Uint8Array, size: Size): Steps<string> {
  let base: { readonly seq: number; readonly cells: NonNullable<FrameRecord['cells']> } | null = null
  let finalText = ''
  yield* momentSteps(raw, recording.moments, size, (moment, terminal) => {
    if (moment.kind !== 'look') return
    const frame = terminal.snapshot()
    const sameSize =
      base !== null && base.cells.length === frame.size.rows && base.cells[0]?.length === frame.size.cols
    const record: FrameRecord = {
      seq: moment.seq,
      tMs: moment.tMs,
      ...frame,
      cells: recording.fullCells ? frame.cells : null,
      delta: recording.fullCells ? null : deltaOf(sameSize ? base : null, frame.cells),
    }
    base = { seq: moment.seq, cells: frame.cells }
    finalText = frame.text.join('\n').trimEnd()
    // Rendered from scrubbed bytes, and scanned with every other file below.
    recording.folder.appendLine(FILES.frames, frameLine(record as Writable<FrameRecord>))
  })
  return finalText
}

function hasFrames({ moments }: Recording): boolean {
  return moments.some((moment) => moment.kind === 'look')
}

function writeFinal({ folder, final, scrubber }: Recording, screen: string): void {
  const words = (text: string): ScrubbedText => scrubber.text(text, 'sent')
  const json = (value: FinalRecord['usage']): WireValue =>
    value === null ? null : writableJson(scrubber, value, 'sent')
  folder.document(
    FILES.final,
    finalDocument({
      ...final,
      exit: final.exit === null ? null : { ...final.exit, signal: words(final.exit.signal) },
      metadata: json(final.metadata),
      usage: json(final.usage),
      routingActual: words(final.routingActual),
      sessionLogPath: words(final.sessionLogPath),
      finalText: scrubber.text(final.finalText || screen, 'received'),
    }),
  )
}

/** What was looked for. The names are those of the scans; what they found is counted by kind. */
const SCANS: readonly string[] = [
  'key-shapes',
  'known-values',
  'names-and-heuristics-of-what-was-sent',
  'painted-screens',
  'secret-prompts',
]

function writeReport({ folder, manifest, scrubber, preserved }: Recording): void {
  const counts: Record<string, number> = {}
  for (const { rule, count } of scrubber.report().rules) counts[rule] = (counts[rule] ?? 0) + count
  const words = (texts: readonly string[]): readonly ScrubbedText[] =>
    texts.map((text) => scrubber.text(text, 'received'))
  folder.document(
    FILES.scrubReport,
    scrubReportDocument({
      status: Object.keys(counts).length > 0 ? scrubbedText`redacted` : scrubbedText`clean`,
      rules: SCANS as readonly ScrubbedText[],
      hitCounts: counts,
      envAllowlist: words(manifest.command.envAllowlist),
      intentionallyPreserved: words(preserved),
    }),
  )
}

function writeManifest(
  { folder, scrubber, incomplete, fullCells }: Recording,
  complete: Manifest,
  rawDigest: Sha256Hex,
): void {
  if (folder.failure !== null) return
  faultPoint('cassette:accept')
  const files = Object.fromEntries(
    [...REQUIRED_FILES, ...OPTIONAL_FILES].flatMap((name): [FileName, Sha256Hex][] => {
      if (name === FILES.raw) return [[name, rawDigest]]
      const bytes = readOrNull(folder, name)
      return bytes === null ? [] : [[name, sha256(bytes)]]
    }),
  )
  const frames = frameScheme(folder, fullCells)
  const document = manifestText(complete, scrubber, { reprise: repriseSection(files, frames, incomplete) })
  const digest = manifestDigest(document, NO_DIGEST) ?? NO_DIGEST
  folder.document(FILES.manifest, document.replace(NO_DIGEST, digest) as ScrubbedText)
  folder.removeDraft()
}

function frameScheme(folder: PartialFolder, fullCells: boolean): FrameScheme {
  if (folder.read(FILES.frames).byteLength === 0) return 'none'
  return fullCells ? 'cells' : 'delta-1'
}

function readOrNull(folder: PartialFolder, name: FileName): Uint8Array | null {
  try {
    return folder.read(name)
  } catch {
    // Optional files are not there unless they were written; a required one that is missing shows when its
    // digest is.
    return null
  }
}

function throwFailure(folder: PartialFolder): void {
  if (folder.failure === null) return
  folder.closeStreams()
  throw new RepriseError('cassette-write-failed', 'the cassette was not written whole', {
    details: { partial: folder.path },
    cause: folder.failure,
    hint: `${folder.failure instanceof Error ? folder.failure.message : String(folder.failure)}; what was written is in ${folder.path}`,
  })
}

function secretLeft(folder: PartialFolder, where: string): RepriseError {
  folder.closeStreams()
  folder.remove()
  return new RepriseError(
    'cassette-secret-left',
    `a secret would still show in ${where}: the recording is refused and removed`,
    {
      details: { where },
      hint: 'record again without showing it',
    },
  )
}
