/**
 * The audit report for people: a few lines of summary, the process tree, the time line. Lines are plain text;
 * the caller makes them printable.
 */
import type { OsSnapshot } from '../snapshot/os-snapshot.ts'
import type { ExtendedView } from './extended-view.ts'
import type { ProcessNode } from './process-tree.ts'

const TIMELINE_LINES = 60

export function extendedReport(view: ExtendedView): string[] {
  const { tokens, permissions, context } = view
  return [
    `events      ${view.events}${view.firstSeq === null ? '' : ` (seq ${view.firstSeq} to ${view.lastSeq})`}`,
    `suspended   ${suspendedLine(view)}`,
    ...runLines(view),
    `permissions ${permissions.requested} requested, ${permissions.approved} given, ${permissions.refused} refused, ${permissions.denied} denied by policy, ${permissions.gated} gated${permissions.open.length === 0 ? '' : `; ${permissions.open.length} still open`}`,
    `tokens      ${tokens.calls} model calls, ${tokens.counted} counted, ${tokens.reported} reported by runs${tokens.costUsd === null ? '' : `, $${tokens.costUsd.toFixed(4)}`}`,
    ...tokens.models.map(
      (row) =>
        `            ${row.model}: ${row.calls} calls, ${row.input} in, ${row.output} out, ${row.cacheRead} from cache`,
    ),
    `context     ${context.compressed} compressed, ${context.pageOut} paged out, ${context.pageIn} paged in, ${context.rollbacks} rolled back; memory ${context.memoryWritten} written, ${context.memoryQueried} queried, ${context.memoryRetrieved} retrieved`,
    ...toolLines(view),
    ...(view.processes.length === 0
      ? []
      : ['', 'processes', ...view.processes.flatMap((node) => treeLines(node, '  ', ''))]),
    ...timelineLines(view),
  ]
}

export function baseReport(snapshot: OsSnapshot): string[] {
  const { last_suspend: suspend } = snapshot
  return [
    `last suspend  ${suspend === null ? 'none' : `turn ${suspend.turn}, ${suspend.reason}${suspend.pending_calls.length === 0 ? '' : ` (${suspend.pending_calls.join(', ')})`}`}`,
    `last resumed  ${snapshot.last_resumed_turn === null ? 'never' : `turn ${snapshot.last_resumed_turn}`}`,
    `counts        ${snapshot.tool_gated_count} gated, ${snapshot.page_out_count} paged out, ${snapshot.page_in_count} paged in`,
    `memory        ${snapshot.memory_written_count} written, ${snapshot.memory_queried_count} queried, ${snapshot.memory_validation_failed_count} failed, ${snapshot.memory_retrieval_result_count} retrieved`,
    `budgets       ${snapshot.budget_exceeded.map((row) => `${row.budget} (turn ${row.turn})`).join(', ') || 'none exceeded'}`,
    ...usageLines(snapshot),
    `signals       ${snapshot.signals.map((row) => `${row.signal_id} ${row.disposition} (turn ${row.turn})`).join(', ') || 'none'}`,
    ...(snapshot.process_by_agent.length === 0 ? [] : ['', 'processes']),
    ...snapshot.process_by_agent.map(
      (row) => `  ${row.agent_id}  ${row.state}  turn ${row.turn}  parent ${row.parent_session_id}`,
    ),
  ]
}

/** Lists of the newest form. */
function usageLines({ budget_usage_reported: usage, cancellations }: OsSnapshot): string[] {
  if (usage === undefined) return []
  const used = usage.map(
    (row) => `${row.operation_id} ${row.tokens} tokens, ${row.subagents} agents, ${row.rounds} rounds`,
  )
  const cancelled = (cancellations ?? []).map((row) => `${row.operation_id} ${row.reason} (turn ${row.turn})`)
  return [
    `usage         ${used.join('; ') || 'none reported'}`,
    `cancelled     ${cancelled.join(', ') || 'none'}`,
  ]
}

function suspendedLine({ suspendedNow }: ExtendedView): string {
  if (suspendedNow === null) return 'no'
  const calls =
    suspendedNow.pendingCalls.length === 0 ? '' : `, waiting for ${suspendedNow.pendingCalls.join(', ')}`
  return `yes, since seq ${suspendedNow.seq} (${suspendedNow.reason}${calls})`
}

function runLines({ runs }: ExtendedView): string[] {
  if (runs.length === 0) return ['runs        none']
  return runs.map((run, index) => {
    const end =
      run.endedAtSeq === null
        ? 'not ended'
        : `${run.reason ?? '?'}, ${run.turnsUsed ?? '?'} turns, ${run.totalTokens ?? '?'} tokens`
    return `${index === 0 ? 'runs        ' : '            '}${run.runId || '(start not in the log)'} "${clip(run.goal)}" ${end}`
  })
}

function toolLines({ tools }: ExtendedView): string[] {
  return tools.map((row, index) => {
    const parts = [
      `${row.requested} calls`,
      row.errors > 0 ? `${row.errors} failed` : '',
      row.requested - row.completed > 0 ? `${row.requested - row.completed} without result` : '',
      row.denied > 0 ? `${row.denied} denied` : '',
      row.gated > 0 ? `${row.gated} gated` : '',
      row.repaired > 0 ? `${row.repaired} repaired` : '',
    ]
    return `${index === 0 ? 'tools       ' : '            '}${row.tool}: ${parts.filter(Boolean).join(', ')}`
  })
}

function treeLines(node: ProcessNode, indent: string, branch: string): string[] {
  const outcome =
    node.state === null ? '' : `  ${node.state}${node.termination === null ? '' : ` (${node.termination})`}`
  const where = [node.role, node.isolation, node.turn === null ? null : `turn ${node.turn}`]
    .filter((part) => part !== null && part !== '')
    .join(', ')
  const below = branch === '' ? indent : indent + (branch === '└─ ' ? '   ' : '│  ')
  return [
    `${indent}${branch}${node.agentId || '(unnamed)'}  ${where}${outcome}`,
    ...node.children.flatMap((child, index) =>
      treeLines(child, below, index === node.children.length - 1 ? '└─ ' : '├─ '),
    ),
  ]
}

function timelineLines({ timeline, timelineDropped }: ExtendedView): string[] {
  if (timeline.length === 0) return []
  const shown = timeline.slice(-TIMELINE_LINES)
  const hidden = timeline.length - shown.length + timelineDropped
  const earlier = hidden === 0 ? [] : [`  (${hidden} earlier rows; --json has more)`]
  const hasTimes = shown.some(({ at }) => at !== null)
  const width = String(shown.at(-1)?.seq ?? 0).length
  return [
    '',
    'time line',
    ...earlier,
    ...shown.map(
      (row) =>
        `  ${String(row.seq).padStart(width)}  ${timeOf(row.at, hasTimes)}${turnOf(row.turn)}  ${clip(row.text)}`,
    ),
  ]
}

/** Date and time to the second, in a column. */
function timeOf(at: string | null, hasTimes: boolean): string {
  return hasTimes ? `${(at ?? '').slice(0, 19).replace('T', ' ').padEnd(19)}  ` : ''
}

function turnOf(turn: number | null): string {
  return (turn === null ? '' : `t${turn}`).padEnd(4)
}

function clip(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}...` : text
}
