/**
 * Opens a cassette: every check of the format in its order, then ours, and only then a reader. What was
 * changed, cut, crafted or never finished is refused with a code; nothing here writes.
 */
import { isRepriseError, RepriseError } from '../../errors/index.ts'
import { sha256 } from '../../real/sha256.ts'
import { manifestDigest, type RepriseSection, readRepriseSection } from '../codec/digests.ts'
import {
  firstValue,
  isServiceEventShape,
  jsonText,
  readDiscovery,
  readFinal,
  readFrame,
  readInput,
  readManifest,
  readOutput,
  readQuota,
  readScrubReport,
  readServiceEvent,
  streamValues,
  WireError,
} from '../codec/index.ts'
import type { CassetteEvent, Emulator, Manifest } from '../codec/records.ts'
import { FILES, type FileName, REQUIRED_FILES } from '../files/names.ts'
import { type CassetteFiles, cassetteFiles, whereCassetteIs } from '../files/read-folder.ts'
import {
  checkChunks,
  checkManifest,
  checkOrder,
  checkRawDigest,
  type ExpectedBinding,
  missingFile,
  refuse,
} from './open-checks.ts'
import { type CassetteContents, type CassetteReader, createReader } from './reader.ts'

export type OpenOptions = {
  /** Each half is checked only if it is given and not empty. */
  readonly expectedBinding?: ExpectedBinding
  readonly requiredEmulator?: Emulator
  /**
   * False to look into a cassette whose unguarded files were changed. The format's own checks always run.
   * Default true.
   */
  readonly digests?: boolean
}

export async function open(dir: string, options: OpenOptions = {}): Promise<CassetteReader> {
  return openSync(dir, options)
}

export function openSync(dir: string, options: OpenOptions = {}): CassetteReader {
  const folder = whereCassetteIs(dir)
  const files = cassetteFiles(folder)
  const { manifest, document, section } = loadManifest(files)
  checkManifest(manifest, options.expectedBinding ?? {}, options.requiredEmulator ?? null)
  for (const name of REQUIRED_FILES) if (files.bytes(name) === null) throw missingFile(name)
  const raw = files.bytes(FILES.raw) ?? new Uint8Array()
  checkRawDigest(manifest, raw)
  const contents: CassetteContents = {
    folder,
    manifest,
    section,
    raw,
    inputs: stream(files, FILES.input, readInput),
    outputs: stream(files, FILES.output, readOutput),
    frames: stream(files, FILES.frames, readFrame),
    serviceEvents: stream(files, FILES.serviceEvents, readServiceEvent),
    final: wholeDocument(files, FILES.final, readFinal),
    scrubReport: wholeDocument(files, FILES.scrubReport, readScrubReport),
    quota: files.bytes(FILES.quota) === null ? null : wholeDocument(files, FILES.quota, readQuota),
    discovery:
      files.bytes(FILES.discovery) === null ? null : wholeDocument(files, FILES.discovery, readDiscovery),
  }
  const events = mergeEvents(contents)
  checkOrder(events)
  checkChunks(contents.outputs, raw)
  if (options.digests !== false) for (const problem of digestProblems(files, document, section)) throw problem
  return createReader(contents, events)
}

type LoadedManifest = {
  readonly manifest: Manifest
  readonly document: string
  readonly section: RepriseSection | null
}

/** Check 1. */
export function loadManifest(files: CassetteFiles): LoadedManifest {
  const bytes = files.bytes(FILES.manifest)
  if (bytes === null) {
    throw refuse('cassette-file-missing', `required artifact ${FILES.manifest}: no such file`, {
      file: FILES.manifest,
    })
  }
  const document = jsonText(bytes)
  try {
    const value = firstValue(document)
    if (isServiceEventShape(value))
      throw refuse('cassette-shape', 'manifest.harness is a string: not the terminal shape of version 1')
    const manifest = readManifest(value)
    return { manifest, document, section: readRepriseSection(manifest.optional) }
  } catch (error) {
    throw invalid('cassette-manifest-invalid', FILES.manifest, error)
  }
}

/**
 * Ours, after all of theirs: the bytes of the manifest, then of every file that it lists. Data, because
 * `verify` reports them all.
 */
export function* digestProblems(
  files: CassetteFiles,
  document: string,
  section: RepriseSection | null,
): Generator<RepriseError> {
  if (section === null) return
  if (manifestDigest(document, section.manifest) !== section.manifest) yield fileDigest(FILES.manifest)
  for (const [name, wanted] of Object.entries(section.files)) {
    const known = Object.values(FILES).find((file) => file === name)
    if (known === undefined) continue
    const bytes = files.bytes(known)
    if (bytes === null) yield missingFile(known)
    else if (sha256(bytes) !== wanted) yield fileDigest(known)
  }
  for (const name of Object.values(FILES)) {
    if (name !== FILES.manifest && section.files[name] === undefined && files.bytes(name) !== null)
      yield fileDigest(name)
  }
}

function fileDigest(name: FileName): RepriseError {
  return refuse(
    'cassette-file-digest',
    `${name} is not what was recorded`,
    { file: name },
    'restore it; reprise cassette verify lists every such file',
  )
}

function stream<T>(files: CassetteFiles, name: FileName, read: (value: unknown) => T): readonly T[] {
  const records: T[] = []
  let line = 1
  try {
    for (const entry of streamValues(jsonText(files.bytes(name) ?? new Uint8Array()))) {
      line = entry.line
      records.push(read(entry.value))
    }
  } catch (error) {
    throw invalid('cassette-file-invalid', name, error, line)
  }
  return records
}

function wholeDocument<T>(files: CassetteFiles, name: FileName, read: (value: unknown) => T): T {
  try {
    return read(firstValue(jsonText(files.bytes(name) ?? new Uint8Array())))
  } catch (error) {
    throw invalid('cassette-file-invalid', name, error)
  }
}

function invalid(
  code: 'cassette-manifest-invalid' | 'cassette-file-invalid',
  file: FileName,
  error: unknown,
  line?: number,
): RepriseError {
  if (isRepriseError(error)) return error
  if (!(error instanceof WireError) && !(error instanceof SyntaxError)) throw error
  const place = line === undefined ? file : `${file} line ${line}`
  return new RepriseError(code, `cassette: ${place}: ${error.message}`, {
    details: { file, ...(line === undefined ? {} : { line }) },
    hint: 'the file is damaged, or not part of a cassette',
    cause: error,
  })
}

/** All streams as one list in `seq` order. Gaps and regressions are found by the checks. */
function mergeEvents(streams: CassetteContents): readonly CassetteEvent[] {
  const { final } = streams
  const events: CassetteEvent[] = [
    ...streams.inputs.map((input) => ({ seq: input.seq, tMs: input.tMs, kind: 'input', input }) as const),
    ...streams.outputs.map(
      (output) => ({ seq: output.seq, tMs: output.tMs, kind: 'output', output }) as const,
    ),
    ...streams.frames.map((frame) => ({ seq: frame.seq, tMs: frame.tMs, kind: 'frame', frame }) as const),
    ...streams.serviceEvents.map(
      (serviceEvent) =>
        ({ seq: serviceEvent.seq, tMs: serviceEvent.tMs, kind: 'service-event', serviceEvent }) as const,
    ),
    { seq: final.seq, tMs: final.tMs, kind: 'final', final },
  ]
  return events.sort((a, b) => a.seq - b.seq)
}
