/**
 * A small cassette written by hand in the format's own spelling, with one place to bend each of its files
 * before it is written.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Documents = {
  manifest: Record<string, unknown>
  input: unknown[]
  output: unknown[]
  frames: unknown[]
  serviceEvents: unknown[]
  final: Record<string, unknown>
  scrubReport: Record<string, unknown>
  quota: Record<string, unknown> | null
  raw: string
}

export const RAW = 'hello\r\nworld\r\n'

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function documents(): Documents {
  return {
    manifest: {
      version: 1,
      id: 'made-by-hand',
      content_digest: { sha256: sha256(RAW) },
      harness: { name: 'demo' },
      command: { argv: ['demo'], workdir_policy: 'tempdir' },
      terminal: { initial_rows: 24, initial_cols: 80, emulator: { name: 'vt10x', version: 'v0' } },
      timing: { resolution_ms: 50, clock_policy: 'monotonic-elapsed', replay_default: 'collapsed' },
      provenance: {
        os: 'linux',
        arch: 'arm64',
        recorded_at: '2026-08-28T03:09:48Z',
        recorder_version: 'quota-pty-v1',
      },
    },
    input: [
      { seq: 1, t_ms: 0, kind: 'input', bytes: 'L21vZGVsDQ==' },
      { seq: 3, t_ms: 50, kind: 'resize', size: { Rows: 30, Cols: 100 } },
    ],
    output: [
      { seq: 2, t_ms: 50, offset: 0, length: 7, sha256: sha256(RAW.slice(0, 7)) },
      { seq: 4, t_ms: 100, offset: 7, length: 7 },
    ],
    frames: [
      {
        seq: 5,
        t_ms: 100,
        size: { Rows: 30, Cols: 100 },
        text: ['hello', 'world'],
        cursor: { Row: 2, Col: 0, Visible: true },
        raw_start: 7,
        raw_end: 14,
        parser_offset: 14,
      },
    ],
    serviceEvents: [{ seq: 6, t_ms: 150, payload: { status: 'ok' } }],
    final: {
      seq: 7,
      t_ms: 150,
      exit: { Code: 0, Signal: '', Exited: true, Signaled: false, Err: {} },
      duration_ms: 177,
    },
    scrubReport: { status: 'redacted', rules: ['email'], hit_counts: { email: 1 } },
    quota: null,
    raw: RAW,
  }
}

export function writeCassette(folder: string, parts: Documents, without: readonly string[] = []): string {
  mkdirSync(folder, { recursive: true })
  const lines = (values: readonly unknown[]): string =>
    values.map((value) => `${JSON.stringify(value)}\n`).join('')
  const files: Record<string, string | null> = {
    'manifest.json': JSON.stringify(parts.manifest, null, 2),
    'input.jsonl': lines(parts.input),
    'output.raw': parts.raw,
    'output.jsonl': lines(parts.output),
    'frames.jsonl': lines(parts.frames),
    'service-events.jsonl': lines(parts.serviceEvents),
    'final.json': JSON.stringify(parts.final),
    'scrub-report.json': JSON.stringify(parts.scrubReport),
    'quota.json': parts.quota === null ? null : JSON.stringify(parts.quota),
  }
  for (const [name, text] of Object.entries(files))
    if (text !== null && !without.includes(name)) writeFileSync(join(folder, name), text)
  return folder
}
