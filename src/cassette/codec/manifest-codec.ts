/**
 * manifest.json between disk and memory. Reading checks types only; what `open` demands of the values is in
 * ../open-checks.ts.
 */
import type { ScrubbedText } from '../../scrub/index.ts'
import type { Manifest } from './records.ts'
import { WireError, type WireObject, wireObject } from './wire-read.ts'
import { sortedKeys, unlessEmpty, wireDocument } from './wire-write.ts'
import type { Writable } from './writable.ts'

export function readManifest(value: unknown): Manifest {
  const root = wireObject(value, '')
  const [harness, command, terminal] = [
    root.object('harness'),
    root.object('command'),
    root.object('terminal'),
  ]
  return {
    version: root.integer('version'),
    id: root.text('id'),
    contentDigest: { sha256: root.object('content_digest').text('sha256') },
    harness: {
      name: harness.text('name'),
      binaryPathDigestSha256: harness.text('binary_path_digest_sha256'),
      binaryVersion: harness.text('binary_version'),
      capability: harness.jsonObject('capability'),
      accountClass: harness.text('account_class'),
      capturedAt: harness.text('captured_at'),
      freshnessWindow: harness.text('freshness_window'),
    },
    command: {
      argv: command.textList('argv'),
      workdirPolicy: command.text('workdir_policy'),
      envAllowlist: command.textList('env_allowlist'),
      timeoutMs: command.integer('timeout_ms'),
      permissionMode: command.text('permission_mode'),
    },
    terminal: {
      initialRows: terminal.integer('initial_rows'),
      initialCols: terminal.integer('initial_cols'),
      locale: terminal.text('locale'),
      term: terminal.text('term'),
      ptyMode: terminal.jsonObject('pty_mode'),
      emulator: readEmulator(terminal),
    },
    timing: readTiming(root.object('timing')),
    provenance: readProvenance(root.object('provenance')),
    requiredFeatures: root.textList('required_features'),
    optional: root.jsonObject('optional'),
  }
}

function readEmulator(terminal: WireObject): Manifest['terminal']['emulator'] {
  const emulator = terminal.object('emulator')
  return { name: emulator.text('name'), version: emulator.text('version') }
}

function readTiming(timing: WireObject): Manifest['timing'] {
  return {
    resolutionMs: timing.integer('resolution_ms'),
    clockPolicy: timing.text('clock_policy'),
    replayDefault: timing.text('replay_default'),
  }
}

function readProvenance(provenance: WireObject): Manifest['provenance'] {
  return {
    gitSha: provenance.text('git_sha'),
    contractVersion: provenance.text('contract_version'),
    os: provenance.text('os'),
    arch: provenance.text('arch'),
    recordedAt: provenance.text('recorded_at'),
    recorderVersion: provenance.text('recorder_version'),
  }
}

/**
 * True for the other shape that also calls itself version 1: a folder of service events, whose `harness` is a
 * plain string.
 */
export function isServiceEventShape(value: unknown): boolean {
  try {
    const root = wireObject(value, '')
    return typeof root.json('harness') === 'string' && root.json('content_digest') === null
  } catch (error) {
    if (error instanceof WireError) return false
    throw error
  }
}

export function manifestDocument(manifest: Writable<Manifest>): ScrubbedText {
  const { harness, command, terminal, timing, provenance } = manifest
  return wireDocument({
    version: manifest.version,
    id: manifest.id,
    content_digest: { sha256: manifest.contentDigest.sha256 },
    harness: {
      name: harness.name,
      binary_path_digest_sha256: unlessEmpty(harness.binaryPathDigestSha256),
      binary_version: unlessEmpty(harness.binaryVersion),
      capability: unlessEmpty(sortedKeys(harness.capability)),
      account_class: unlessEmpty(harness.accountClass),
      captured_at: unlessEmpty(harness.capturedAt),
      freshness_window: unlessEmpty(harness.freshnessWindow),
    },
    command: {
      argv: unlessEmpty(command.argv),
      workdir_policy: command.workdirPolicy,
      env_allowlist: unlessEmpty(command.envAllowlist),
      timeout_ms: unlessEmpty(command.timeoutMs),
      permission_mode: unlessEmpty(command.permissionMode),
    },
    terminal: {
      initial_rows: terminal.initialRows,
      initial_cols: terminal.initialCols,
      locale: unlessEmpty(terminal.locale),
      term: unlessEmpty(terminal.term),
      pty_mode: unlessEmpty(sortedKeys(terminal.ptyMode)),
      emulator: { name: terminal.emulator.name, version: terminal.emulator.version },
    },
    timing: {
      resolution_ms: timing.resolutionMs,
      clock_policy: timing.clockPolicy,
      replay_default: timing.replayDefault,
    },
    provenance: {
      git_sha: unlessEmpty(provenance.gitSha),
      contract_version: unlessEmpty(provenance.contractVersion),
      os: provenance.os,
      arch: provenance.arch,
      recorded_at: provenance.recordedAt,
      recorder_version: provenance.recorderVersion,
    },
    required_features: unlessEmpty(manifest.requiredFeatures),
    optional: unlessEmpty(sortedKeys(manifest.optional)),
  })
}
