/**
 * The agents of a session as a tree: role, isolation, state and outcome of each, under the agent or session
 * that started it. First-seen order at every level; the newest event of an agent wins, as in the snapshot.
 */
import { listOf, numberOf, textOf } from '../../base/index.ts'
import type { Collector, ReadEvent } from './collector.ts'

export type ProcessNode = {
  readonly agentId: string
  /** `session` for a parent that is only named by its children. */
  readonly role: string
  readonly isolation: string | null
  readonly contextInheritance: string | null
  readonly state: string | null
  readonly termination: string | null
  readonly capabilities: readonly string[]
  readonly turn: number | null
  readonly firstSeq: number | null
  readonly lastSeq: number | null
  readonly children: readonly ProcessNode[]
}

const MAX_TREE_DEPTH = 200

type Row = Omit<ProcessNode, 'children'> & { readonly parent: string }

export function collectProcesses(): Collector<readonly ProcessNode[]> {
  const rows = new Map<string, Row>()
  return {
    add(seq, event) {
      if (event.kind !== 'agent_process_changed') return
      const agentId = textOf(event.agent_id) ?? ''
      rows.set(agentId, rowOf(seq, agentId, event, rows.get(agentId)))
    },
    view: () => treeOf([...rows.values()]),
  }
}

function rowOf(seq: number, agentId: string, event: ReadEvent, earlier: Row | undefined): Row {
  return {
    agentId,
    parent: textOf(event.parent_session_id) ?? '',
    role: textOf(event.role) ?? earlier?.role ?? '',
    isolation: textOf(event.isolation),
    contextInheritance: textOf(event.context_inheritance),
    state: textOf(event.state) || 'running',
    termination: textOf(event.result_termination),
    capabilities: listOf(event.permitted_capability_ids).map(String),
    turn: numberOf(event.turn),
    firstSeq: earlier?.firstSeq ?? seq,
    lastSeq: seq,
  }
}

function treeOf(rows: readonly Row[]): readonly ProcessNode[] {
  const known = new Set(rows.map((row) => row.agentId))
  const byParent = new Map<string, Row[]>()
  for (const row of rows) {
    const siblings = byParent.get(row.parent)
    if (siblings === undefined) byParent.set(row.parent, [row])
    else siblings.push(row)
  }
  const placed = new Set<string>()
  const nodesUnder = (parent: string, depth = 0): ProcessNode[] =>
    (byParent.get(parent) ?? []).flatMap(({ parent: _parent, ...row }) => {
      // Agents that name each other as parent would go round for ever; a chain that goes deeper begins a tree
      // of its own.
      if (placed.has(row.agentId) || depth > MAX_TREE_DEPTH) return []
      placed.add(row.agentId)
      return [{ ...row, children: nodesUnder(row.agentId, depth + 1) }]
    })
  const outside = [...byParent.keys()].filter((parent) => !known.has(parent))
  const roots = outside.map((parent) => ({ ...sessionNode(parent), children: nodesUnder(parent) }))
  const rest = rows
    .filter((row) => !placed.has(row.agentId))
    .flatMap((row) => (placed.has(row.agentId) ? [] : nodesUnder(row.parent)))
  return [...roots, ...rest]
}

function sessionNode(agentId: string): ProcessNode {
  return {
    agentId,
    role: 'session',
    isolation: null,
    contextInheritance: null,
    state: null,
    termination: null,
    capabilities: [],
    turn: null,
    firstSeq: null,
    lastSeq: null,
    children: [],
  }
}
