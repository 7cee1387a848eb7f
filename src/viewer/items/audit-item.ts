/**
 * A journal, or a log that can be read as one, as the viewer shows it. Entries are held in memory; the fold
 * up to any of them is made when asked.
 */
import { numberOf, textOf } from '../../base/index.ts'
import { openAuditInput } from '../../journal/audit-input.ts'
import { eventCategory } from '../../journal/events/category.ts'
import type { JournalEntry } from '../../journal/events/journal.ts'
import { createFold } from '../../journal/snapshot/fold.ts'
import { createExtendedView } from '../../journal/view/extended-view.ts'
import type { ProcessNode } from '../../journal/view/process-tree.ts'
import type { AuditEntry, AuditMoment, AuditProcess } from '../protocol/audit.ts'
import type { ViewerFinding } from '../protocol/findings.ts'
import type { AuditParts } from '../source/audit-view.ts'

const MAX_FINDINGS = 1000
/** More entries than this are counted, not shown. */
const MAX_ENTRIES = 500_000

export type OpenedAudit = { readonly parts: AuditParts; momentAt(index: number): Promise<AuditMoment> }

export async function openAuditItem(path: string): Promise<OpenedAudit> {
  const findings: ViewerFinding[] = []
  let more = 0
  const { format, entries: batches } = await openAuditInput(path, ({ line, reason, detail }) => {
    const message = `line ${line} is damaged: ${detail ?? reason}`
    if (findings.length === MAX_FINDINGS) more += 1
    else findings.push({ code: 'line-damaged', severity: 'fault', row: null, line, message, hint: null })
  })
  const entries: JournalEntry[] = []
  let left = 0
  for await (const batch of batches) {
    for (const entry of batch) {
      if (entries.length < MAX_ENTRIES) entries.push(entry)
      else left += 1
    }
  }
  if (left > 0) {
    const message = `the first ${MAX_ENTRIES} entries are shown, ${left} more are in the file`
    findings.push({
      code: 'too-many-entries',
      severity: 'note',
      row: null,
      line: null,
      message,
      hint: 'reprise audit reads all',
    })
  }
  const kinds = new Map<string, number>()
  for (const { event } of entries) kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1)
  const document = {
    path,
    format,
    entries: entries.length,
    firstSeq: entries[0]?.seq ?? null,
    lastSeq: entries.at(-1)?.seq ?? null,
    kinds: [...kinds].map(([kind, count]) => ({ kind, count })),
    findings: { findings, more },
  }
  return { parts: { document, entries: entries.map(entryOf) }, momentAt: momentsOf(entries) }
}

function entryOf({ seq, event }: JournalEntry, index: number): AuditEntry {
  const fields: Readonly<Record<string, unknown>> = { ...event }
  const json = JSON.stringify(event)
  return {
    index,
    seq,
    kind: event.kind,
    category: eventCategory(event),
    turn: numberOf(fields.turn),
    atMs: numberOf(fields.timestamp_ms) ?? numberOf(fields.at_ms),
    title: titleOf(fields),
    json,
  }
}

function titleOf(fields: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    if (name === 'kind' || value === null || typeof value === 'object') return []
    return [`${name} ${textOf(value) ?? String(value)}`]
  })
  return parts.join(', ').slice(0, 200)
}

/** Goes on from the last fold where it can: a cursor that moves forward folds each entry once. */
function momentsOf(entries: readonly JournalEntry[]): (index: number) => Promise<AuditMoment> {
  let [fold, view, done] = [createFold(), createExtendedView(), 0]
  return async (index) => {
    if (index + 1 < done) [fold, view, done] = [createFold(), createExtendedView(), 0]
    for (; done <= index; done += 1) {
      const entry = entries[done]
      if (entry === undefined) break
      fold.add(entry.event)
      view.add(entry)
    }
    const snapshot = fold.snapshot()
    const seen = view.view()
    const gates = new Set(['tool_gated', 'tool_denied', 'permission_requested', 'permission_resolved'])
    return {
      index,
      seq: entries[index]?.seq ?? null,
      snapshotJson: JSON.stringify(snapshot, null, 2),
      suspended: seen.suspendedNow,
      runs: seen.runs.map(
        ({ runId, goal, startedAtSeq, endedAtSeq, reason, turnsUsed, totalTokens, suspensions }) => ({
          runId,
          goal,
          startedAtSeq,
          endedAtSeq,
          reason,
          turns: turnsUsed,
          tokens: totalTokens,
          suspensions,
        }),
      ),
      processes: seen.processes.map(processOf),
      tools: seen.tools.map(({ tool, requested, errors, denied }) => ({
        name: tool,
        calls: requested,
        errors,
        denied,
      })),
      tokens: {
        input: seen.tokens.models.reduce((sum, { input }) => sum + input, 0),
        output: seen.tokens.models.reduce((sum, { output }) => sum + output, 0),
        costUsd: seen.tokens.costUsd,
      },
      budgets: snapshot.budget_exceeded.map(({ turn, budget }) => ({ turn, budget })),
      signals: snapshot.signals.map(({ turn, signal_id, disposition, queue_depth }) => ({
        turn,
        signal: signal_id,
        disposition,
        queueDepth: queue_depth,
      })),
      gates: seen.timeline.filter(({ kind }) => gates.has(kind)),
    }
  }
}

function processOf({
  agentId,
  role,
  isolation,
  state,
  termination,
  turn,
  firstSeq,
  lastSeq,
  children,
}: ProcessNode): AuditProcess {
  return {
    agentId,
    role,
    isolation,
    state,
    termination,
    turn,
    firstSeq,
    lastSeq,
    children: children.map(processOf),
  }
}
