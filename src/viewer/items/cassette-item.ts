/**
 * A cassette as the viewer shows it. A cassette that the format refuses is opened as far as it goes, with the
 * refusal as a finding.
 */
import { printable } from '../../base/index.ts'
import type { InputRecord } from '../../cassette/codec/records.ts'
import { openSync } from '../../cassette/reader/open.ts'
import type { CassetteReader } from '../../cassette/reader/reader.ts'
import { isRepriseError } from '../../errors/index.ts'
import type { ViewerFinding } from '../protocol/findings.ts'
import type { CassetteDocument, CassetteFrame, CassetteInput } from '../protocol/terminal.ts'
import type { CassetteParts } from '../source/cassette-view.ts'

export type OpenedCassette = { readonly parts: CassetteParts; readonly output: Uint8Array }

export function openCassetteItem(path: string, tape: CassetteDocument['tape']): OpenedCassette {
  const { reader, findings } = openTolerant(path)
  if (reader === null)
    return {
      parts: { document: emptyDocument(path, tape, findings), chunks: [], frames: [] },
      output: new Uint8Array(),
    }
  const frames = reader.frames().map(
    (frame, number): CassetteFrame => ({
      frame: number,
      atMs: frame.tMs,
      rows: frame.size.rows,
      cols: frame.size.cols,
      text: frame.text,
      cursor: frame.cursor,
      title: frame.title,
      alternate: frame.alternate,
      outputEnd: frame.rawEnd,
    }),
  )
  const chunks = reader.outputChunks().map(({ tMs, offset, length }) => [tMs, offset, length] as const)
  return {
    parts: { document: documentOf(path, reader, tape, findings), chunks, frames },
    output: reader.rawOutput(),
  }
}

function openTolerant(path: string): {
  readonly reader: CassetteReader | null
  readonly findings: readonly ViewerFinding[]
} {
  const findings: ViewerFinding[] = []
  for (const digests of [true, false]) {
    try {
      const reader = openSync(path, { digests })
      if (reader.incomplete)
        findings.push(finding('cassette-incomplete', 'repaired from a recording that never closed', null))
      return { reader, findings }
    } catch (error) {
      if (!isRepriseError(error)) throw error
      if (!findings.some(({ code }) => code === error.code))
        findings.push(finding(error.code, error.message, error.hint))
    }
  }
  return { reader: null, findings }
}

function finding(code: string, message: string, hint: string | null): ViewerFinding {
  return { code, severity: 'fault', row: null, line: null, message, hint }
}

function documentOf(
  path: string,
  reader: CassetteReader,
  tape: CassetteDocument['tape'],
  findings: readonly ViewerFinding[],
): CassetteDocument {
  const manifest = reader.manifest()
  const final = reader.final()
  const { terminal } = manifest
  return {
    path,
    command: manifest.command.argv,
    term: terminal.term,
    rows: terminal.initialRows || 24,
    cols: terminal.initialCols || 80,
    durationMs: Math.max(final.durationMs, reader.events().at(-1)?.tMs ?? 0),
    recordedAt: manifest.provenance.recordedAt || null,
    emulator: `${terminal.emulator.name} ${terminal.emulator.version}`,
    exit: final.exit === null ? null : { code: final.exit.code, signal: final.exit.signal },
    finalText: final.finalText,
    outputBytes: reader.rawOutput().byteLength,
    chunks: reader.outputChunks().length,
    frames: reader.frames().length,
    inputs: reader.inputs().map(inputOf),
    tape,
    masked: Object.entries(reader.scrubReport().hitCounts).map(([rule, count]) => ({ rule, count })),
    findings: { findings, more: 0 },
  }
}

function inputOf({ tMs, kind, bytes, key, size, signal, reply }: InputRecord): CassetteInput {
  const known = kind === 'input' || kind === 'resize' || kind === 'signal' ? kind : 'other'
  const typed = key || (bytes === null ? '' : printable(new TextDecoder().decode(bytes)))
  const resized = size === null ? '' : `${size.cols}×${size.rows}`
  return {
    atMs: tMs,
    kind: known,
    text: typed || resized || signal,
    rows: size?.rows ?? null,
    cols: size?.cols ?? null,
    reply,
  }
}

function emptyDocument(
  path: string,
  tape: CassetteDocument['tape'],
  findings: readonly ViewerFinding[],
): CassetteDocument {
  return {
    path,
    command: [],
    term: '',
    rows: 24,
    cols: 80,
    durationMs: 0,
    recordedAt: null,
    emulator: '',
    exit: null,
    finalText: '',
    outputBytes: 0,
    chunks: 0,
    frames: 0,
    inputs: [],
    tape,
    masked: [],
    findings: { findings, more: 0 },
  }
}
