/**
 * Makes a cassette out of a recording that never closed, or of one that was damaged: keeps every line and
 * every byte that is whole, numbers them anew, renders the frames again, and marks the result incomplete. The
 * source is only read.
 */
import { RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { realEnv } from '../real/process.ts'
import { createScrubber, type Scrubber } from '../scrub/index.ts'
import {
  firstValue,
  jsonText,
  readDiscovery,
  readFinal,
  readInput,
  readManifest,
  readOutput,
  readQuota,
  readServiceEvent,
} from './codec/index.ts'
import type { FinalRecord, Manifest, OutputRecord } from './codec/records.ts'
import { DRAFT_FILE, FILES, type FileName } from './files/names.ts'
import { type CassetteFiles, cassetteFiles, isCassette } from './files/read-folder.ts'
import { isInside } from './reader/open-checks.ts'
import type { ManifestDraft } from './recorder/manifest-draft.ts'
import { draftFrom, type RebuildEvent, rebuildCassette, withLooks } from './recorder/rebuild.ts'

export type RepairOptions = { readonly force?: boolean; readonly scrubber?: Scrubber }

export type CassetteRepairReport = {
  readonly out: string
  readonly events: number
  readonly bytes: number
  readonly lost: readonly { readonly file: string; readonly line: number; readonly reason: string }[]
  /** False where final.json had to be made: how the program ended is not known. */
  readonly finalKept: boolean
  readonly manifestKept: boolean
}

export async function repairCassette(
  path: string,
  out: string,
  options: RepairOptions = {},
): Promise<CassetteRepairReport> {
  if (!isCassette(path)) {
    throw new RepriseError('cassette-not-partial', `${path} holds no recording`, {
      details: { path },
      hint: 'name a folder that holds output.raw',
    })
  }
  const files = cassetteFiles(path)
  const lost: { file: string; line: number; reason: string }[] = []
  const manifest = savedManifest(files, path)
  const raw = files.bytes(FILES.raw) ?? new Uint8Array()
  const inputs = wholeLines(files, FILES.input, readInput, lost)
  const outputs = wholeChunks(wholeLines(files, FILES.output, readOutput, lost), raw)
  const services = wholeLines(files, FILES.serviceEvents, readServiceEvent, lost)
  const events = inOrder([
    ...inputs.map((input): RebuildEvent => ({ kind: 'input', seq: input.seq, tMs: input.tMs, input })),
    ...outputs.map(
      ({ seq, tMs, offset, length }): RebuildEvent => ({
        kind: 'output',
        seq,
        tMs,
        bytes: raw.subarray(offset, offset + length),
      }),
    ),
    ...services.map(
      (serviceEvent): RebuildEvent => ({
        kind: 'service-event',
        seq: serviceEvent.seq,
        tMs: serviceEvent.tMs,
        serviceEvent,
      }),
    ),
  ])
  const final = whole(files, FILES.final, readFinal)
  const lastMs = events.at(-1)?.tMs ?? 0
  await rebuildCassette({
    out,
    force: options.force ?? false,
    draft: manifest === null ? {} : draftFor(manifest),
    events: withLooks(events),
    final: final === null ? { metadata: { incomplete: true } } : withoutStamp(final),
    endMs: Math.max(lastMs, final?.tMs ?? 0),
    quota: whole(files, FILES.quota, readQuota),
    discovery: whole(files, FILES.discovery, readDiscovery),
    scrubber: options.scrubber ?? createScrubber({ env: realEnv }),
    incomplete: true,
  })
  return {
    out,
    events: events.length,
    bytes: raw.byteLength,
    lost,
    finalKept: final !== null,
    manifestKept: manifest !== null,
  }
}

function savedManifest(files: CassetteFiles, path: string): Manifest | null {
  const accepted = whole(files, FILES.manifest, readManifest)
  if (accepted !== null) return accepted
  try {
    return readManifest(firstValue(jsonText(fs.readFileSync(`${path}/${DRAFT_FILE}`))))
  } catch {
    // No draft, or a torn one: the defaults are all that is known.
    return null
  }
}

function draftFor(manifest: Manifest): ManifestDraft {
  const draft = draftFrom(manifest)
  const { initialRows, initialCols } = manifest.terminal
  const fits = (side: number): boolean => side > 0 && side <= 10_000
  return fits(initialRows) && fits(initialCols)
    ? draft
    : { ...draft, terminal: { ...draft.terminal, initialRows: 24, initialCols: 80 } }
}

/**
 * Lines that can be read, one by one; what cannot be is named. A torn last line is the usual end of a crash.
 */
function wholeLines<T>(
  files: CassetteFiles,
  name: FileName,
  read: (value: unknown) => T,
  lost: { file: string; line: number; reason: string }[],
): T[] {
  const records: T[] = []
  jsonText(files.bytes(name) ?? new Uint8Array())
    .split('\n')
    .forEach((text, at, lines) => {
      if (text.trim() === '') return
      try {
        records.push(read(firstValue(text)))
      } catch {
        lost.push({ file: name, line: at + 1, reason: at === lines.length - 1 ? 'torn' : 'damaged' })
      }
    })
  return records
}

/**
 * The chunks that cover output.raw from its beginning without a gap, and one more for bytes whose line was
 * never written.
 */
function wholeChunks(chunks: readonly OutputRecord[], raw: Uint8Array): OutputRecord[] {
  const kept: OutputRecord[] = []
  let end = 0
  for (const chunk of [...chunks].sort((a, b) => a.offset - b.offset || a.seq - b.seq)) {
    if (!isInside(chunk, raw) || chunk.offset !== end) continue
    kept.push(chunk)
    end += chunk.length
  }
  const last = chunks.at(-1)
  if (end < raw.byteLength)
    kept.push({
      seq: (last?.seq ?? 0) + 0.5,
      tMs: last?.tMs ?? 0,
      offset: end,
      length: raw.byteLength - end,
      sha256: '',
    })
  return kept
}

/** By number, and in time that never goes back. */
function inOrder(events: readonly RebuildEvent[]): readonly RebuildEvent[] {
  let before = 0
  return [...events]
    .sort((a, b) => a.seq - b.seq)
    .map((event) => {
      before = Math.max(before, event.tMs)
      return { ...event, tMs: before }
    })
}

function whole<T>(files: CassetteFiles, name: FileName, read: (value: unknown) => T): T | null {
  const bytes = files.bytes(name)
  if (bytes === null) return null
  try {
    return read(firstValue(jsonText(bytes)))
  } catch {
    // Torn or damaged: handled as missing, and the report names it.
    return null
  }
}

function withoutStamp({ seq: _, tMs: __, ...final }: FinalRecord): Partial<FinalRecord> {
  return final
}
