/** What a caller says about a recording, and every default of the manifest. */
import { dateFrom } from '../../real/clock.ts'
import { realRandomUuid } from '../../real/random.ts'
import type { JsonObject, Manifest } from '../codec/records.ts'
import { CASSETTE_VERSION } from '../files/names.ts'
import { emulator } from '../terminal/terminal.ts'
import { RECORDER_VERSION } from './recorder-version.ts'

export type ManifestDraft = {
  readonly id?: string
  readonly harness?: Partial<Manifest['harness']>
  readonly command?: Partial<Manifest['command']>
  readonly terminal?: Partial<Manifest['terminal']>
  readonly timing?: Partial<Manifest['timing']>
  readonly provenance?: Partial<Manifest['provenance']>
  readonly optional?: JsonObject
}

export const DEFAULT_RESOLUTION_MS = 100

/** The digest is left empty: it is known at the end. */
export function manifestFrom(draft: ManifestDraft, nowMs: number): Manifest {
  return {
    version: CASSETTE_VERSION,
    id: draft.id || realRandomUuid(),
    contentDigest: { sha256: '' },
    harness: {
      name: '',
      binaryPathDigestSha256: '',
      binaryVersion: '',
      capability: null,
      accountClass: '',
      capturedAt: '',
      freshnessWindow: '',
      ...draft.harness,
    },
    command: { argv: [], workdirPolicy: 'unspecified', envAllowlist: [], timeoutMs: 0, permissionMode: '', ...draft.command },
    terminal: {
      locale: '',
      term: '',
      ptyMode: null,
      ...draft.terminal,
      initialRows: draft.terminal?.initialRows || 24,
      initialCols: draft.terminal?.initialCols || 80,
      emulator: draft.terminal?.emulator?.name ? draft.terminal.emulator : emulator(),
    },
    timing: {
      clockPolicy: 'monotonic-elapsed',
      replayDefault: 'collapsed',
      ...draft.timing,
      resolutionMs: draft.timing?.resolutionMs || DEFAULT_RESOLUTION_MS,
    },
    provenance: {
      gitSha: '',
      contractVersion: '',
      os: process.platform,
      arch: process.arch,
      recorderVersion: RECORDER_VERSION,
      ...draft.provenance,
      recordedAt: draft.provenance?.recordedAt || rfc3339(nowMs),
    },
    requiredFeatures: [],
    optional: draft.optional ?? null,
  }
}

/** UTC, whole seconds. */
export function rfc3339(ms: number): string {
  return dateFrom(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
}
