/** The fields of a manifest that a caller sets, and every default. */
import { RepriseError } from '../../errors/index.ts'
import { dateFrom } from '../../real/clock.ts'
import { startedAs } from '../../real/program.ts'
import { realRandomUuid } from '../../real/random.ts'
import type { JsonObject, Manifest } from '../codec/records.ts'
import { CASSETTE_VERSION } from '../files/names.ts'
import { emulator } from '../terminal/terminal.ts'
import { goArch, goOs } from './go-names.ts'
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

/** The digest is left empty: it is known at the end. An empty text counts as not given. */
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
    command: {
      argv: [],
      envAllowlist: [],
      permissionMode: '',
      ...draft.command,
      workdirPolicy: draft.command?.workdirPolicy || 'unspecified',
      timeoutMs: wholeNumber('timeoutMs', draft.command?.timeoutMs ?? 0),
    },
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
      clockPolicy: draft.timing?.clockPolicy || 'monotonic-elapsed',
      replayDefault: draft.timing?.replayDefault || 'collapsed',
      resolutionMs: resolution(draft.timing?.resolutionMs || DEFAULT_RESOLUTION_MS),
    },
    provenance: {
      gitSha: '',
      contractVersion: '',
      ...draft.provenance,
      os: draft.provenance?.os || goOs(startedAs.platform),
      arch: draft.provenance?.arch || goArch(startedAs.arch),
      recorderVersion: draft.provenance?.recorderVersion || RECORDER_VERSION,
      recordedAt: draft.provenance?.recordedAt || rfc3339(nowMs),
    },
    requiredFeatures: [],
    optional: draft.optional ?? null,
  }
}

/** The format stores integers: a reader refuses a fraction, so a recorder never writes one. */
export function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new RepriseError('cassette-number', `cassette: ${name} is ${value}, not a whole number`, {
    details: { name, value },
    hint: `round ${name} to whole milliseconds`,
  })
}

function resolution(resolutionMs: number): number {
  if (Number.isSafeInteger(resolutionMs) && resolutionMs > 0) return resolutionMs
  throw new RepriseError('cassette-resolution', `cassette: timing.resolutionMs is ${resolutionMs}`, {
    details: { resolutionMs },
    hint: 'give a whole number of milliseconds above 0',
  })
}

/** UTC, whole seconds. */
export function rfc3339(ms: number): string {
  return dateFrom(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
}
