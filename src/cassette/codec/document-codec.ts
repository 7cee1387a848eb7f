/** final.json, quota.json, discovery.json and scrub-report.json between disk and memory. */
import type { ScrubbedText } from '../../scrub/index.ts'
import type { CassetteScrubReport, DiscoveryRecord, ExitStatus, FinalRecord, QuotaRecord } from './records.ts'
import { readTimed } from './stream-codec.ts'
import { type WireObject, wireObject } from './wire-read.ts'
import { sortedKeys, unlessEmpty, wireDocument } from './wire-write.ts'
import type { Writable } from './writable.ts'

export function readFinal(value: unknown): FinalRecord {
  const root = wireObject(value, '')
  const exit = root.objectOrNull('exit')
  return {
    ...readTimed(root),
    exit: exit === null ? null : readExit(exit),
    durationMs: root.integer('duration_ms'),
    metadata: root.jsonObject('metadata'),
    usage: root.jsonObject('usage'),
    costUsd: root.number('cost_usd'),
    routingActual: root.text('routing_actual'),
    sessionLogPath: root.text('session_log_path'),
    finalText: root.text('final_text'),
  }
}

/** `Err` is not read at all: upstream writes a Go error there, which can be null, `{}` or anything else. */
function readExit(exit: WireObject): ExitStatus {
  return {
    code: exit.integer('Code'),
    signal: exit.text('Signal'),
    exited: exit.flag('Exited'),
    signaled: exit.flag('Signaled'),
  }
}

export function finalDocument(final: Writable<FinalRecord>): ScrubbedText {
  const { exit } = final
  return wireDocument({
    seq: final.seq,
    t_ms: final.tMs,
    exit:
      exit === null
        ? undefined
        : { Code: exit.code, Signal: exit.signal, Exited: exit.exited, Signaled: exit.signaled, Err: null },
    duration_ms: final.durationMs,
    metadata: unlessEmpty(sortedKeys(final.metadata)),
    usage: unlessEmpty(sortedKeys(final.usage)),
    cost_usd: unlessEmpty(final.costUsd),
    routing_actual: unlessEmpty(final.routingActual),
    session_log_path: unlessEmpty(final.sessionLogPath),
    final_text: unlessEmpty(final.finalText),
  })
}

export function readQuota(value: unknown): QuotaRecord {
  const root = wireObject(value, '')
  return {
    source: root.text('source'),
    status: root.text('status'),
    ...readFreshness(root),
    accountClass: root.text('account_class'),
    windows: root.jsonObjects('windows'),
    metadata: root.jsonObject('metadata'),
  }
}

export function quotaDocument(quota: Writable<QuotaRecord>): ScrubbedText {
  return wireDocument({
    source: quota.source,
    status: quota.status,
    ...freshnessMembers(quota),
    account_class: unlessEmpty(quota.accountClass),
    windows: unlessEmpty(sortedKeys(quota.windows)),
    metadata: unlessEmpty(sortedKeys(quota.metadata)),
  })
}

export function readDiscovery(value: unknown): DiscoveryRecord {
  const root = wireObject(value, '')
  return {
    source: root.text('source'),
    status: root.text('status'),
    models: root.textList('models'),
    reasoningLevels: root.textList('reasoning_levels'),
    ...readFreshness(root),
    metadata: root.jsonObject('metadata'),
  }
}

export function discoveryDocument(discovery: Writable<DiscoveryRecord>): ScrubbedText {
  return wireDocument({
    source: discovery.source,
    status: discovery.status,
    models: unlessEmpty(discovery.models),
    reasoning_levels: unlessEmpty(discovery.reasoningLevels),
    ...freshnessMembers(discovery),
    metadata: unlessEmpty(sortedKeys(discovery.metadata)),
  })
}

/** What a quota and a discovery have in common. */
type Freshness = Pick<QuotaRecord, 'capturedAt' | 'freshnessWindow' | 'stalenessBehavior'>

function readFreshness(root: WireObject): Freshness {
  return {
    capturedAt: root.text('captured_at'),
    freshnessWindow: root.text('freshness_window'),
    stalenessBehavior: root.text('staleness_behavior'),
  }
}

function freshnessMembers(record: Writable<Freshness>) {
  return {
    captured_at: unlessEmpty(record.capturedAt),
    freshness_window: unlessEmpty(record.freshnessWindow),
    staleness_behavior: unlessEmpty(record.stalenessBehavior),
  }
}

export function readScrubReport(value: unknown): CassetteScrubReport {
  const root = wireObject(value, '')
  return {
    status: root.text('status'),
    rules: root.textList('rules'),
    hitCounts: root.counts('hit_counts'),
    envAllowlist: root.textList('env_allowlist'),
    intentionallyPreserved: root.textList('intentionally_preserved'),
  }
}

export function scrubReportDocument(report: Writable<CassetteScrubReport>): ScrubbedText {
  return wireDocument({
    status: report.status,
    rules: report.rules,
    hit_counts: sortedKeys(report.hitCounts),
    env_allowlist: unlessEmpty(report.envAllowlist),
    intentionally_preserved: unlessEmpty(report.intentionallyPreserved),
  })
}
