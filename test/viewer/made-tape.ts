/** Tapes for the page, written line by line. */
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contentHash, utf8 } from '../../src/base/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

export type MadeRecord = { readonly kind: Readonly<Record<string, unknown>>; readonly atMs?: number }

const HEADER = {
  type: 'header',
  version: 1,
  harn_version: 'reprise/0.1.0',
  started_at_unix_ms: null,
  script_path: null,
  argv: [],
  producer: { name: 'reprise', version: '0.1.0' },
  command: ['node', 'agent.mjs'],
}

export function headerLine(changes: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ ...HEADER, ...changes })}\n`
}

export function recordLine(seq: number, { kind, atMs = seq * 10 }: MadeRecord): string {
  const times = { virtual_time_ms: 1767225600000 + atMs, monotonic_ms: atMs }
  return `${JSON.stringify({ type: 'record', seq, phase: 'user_script', ...times, kind })}\n`
}

export function tapeText(
  records: readonly MadeRecord[],
  header: Readonly<Record<string, unknown>> = {},
): string {
  return headerLine(header) + records.map((record, seq) => recordLine(seq, record)).join('')
}

export function sealed(text: string, count: number): string {
  const kind = {
    kind: 'tape_seal',
    records: count,
    chain: contentHash(utf8(text)),
    boundaries: { clock: 'captured' },
    exit: { code: 0, signal: null },
    stdout: { bytes: 0, hash: contentHash(utf8('')) },
    stderr: { bytes: 0, hash: contentHash(utf8('')) },
  }
  return text + recordLine(count, { kind })
}

export function madeTape(
  records: readonly MadeRecord[],
  header: Readonly<Record<string, unknown>> = {},
): string {
  return writtenTape(sealed(tapeText(records, header), records.length))
}

export function writtenTape(text: string): string {
  const path = join(tempFolder(), 'run.tape')
  writeFileSync(path, text)
  return path
}

export const clockRead = (value: number): MadeRecord => ({
  kind: { kind: 'clock_read', source: 'wall', value_ms: value, api: 'Date.now' },
})

/** A copy of a fixture with everything beside it: the viewer writes its index there. */
export function copied(path: string): string {
  const from = fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url))
  const folder = tempFolder()
  for (const suffix of ['', '.cas', '.cassettes']) {
    if (existsSync(`${from}${suffix}`))
      cpSync(`${from}${suffix}`, join(folder, `${basename(from)}${suffix}`), { recursive: true })
  }
  return join(folder, basename(from))
}
