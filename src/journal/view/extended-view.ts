/**
 * What the snapshot does not contain: is the session suspended now, which runs it had and how they ended, the
 * process tree with role, isolation and outcome, a time line of what was limited, asked, allowed and denied,
 * the tools used, tokens and cost.
 *
 * Built from the same stream of entries, each read once, by a few collectors that know nothing of each
 * other. Later kinds of upstream, which the snapshot ignores, are read here.
 */
import type { JournalEntry } from '../events/journal.ts'
import { type ContextUse, collectContext } from './context-use.ts'
import { collectPermissions, type PermissionsView } from './permissions.ts'
import { collectProcesses, type ProcessNode } from './process-tree.ts'
import { collectRuns, type RunView, type SuspendedNow } from './runs.ts'
import { collectTimeline, type TimelineRow } from './timeline.ts'
import { collectTokens, type TokensView } from './tokens.ts'
import { collectTools, type ToolUse } from './tool-use.ts'

export type ExtendedView = {
  readonly events: number
  readonly firstSeq: number | null
  readonly lastSeq: number | null
  readonly suspendedNow: SuspendedNow | null
  readonly runs: readonly RunView[]
  readonly processes: readonly ProcessNode[]
  readonly permissions: PermissionsView
  readonly tools: readonly ToolUse[]
  readonly tokens: TokensView
  readonly context: ContextUse
  readonly timeline: readonly TimelineRow[]
  /** Older rows that were left out of `timeline`, which holds the newest. */
  readonly timelineDropped: number
  readonly kinds: readonly { readonly kind: string; readonly count: number }[]
}

export type ViewFold = { add(entry: JournalEntry): void; view(): ExtendedView }

export function createExtendedView(): ViewFold {
  const runs = collectRuns()
  const processes = collectProcesses()
  const permissions = collectPermissions()
  const tools = collectTools()
  const tokens = collectTokens()
  const context = collectContext()
  const timeline = collectTimeline()
  const collectors = [runs, processes, permissions, tools, tokens, context]
  const kinds = new Map<string, number>()
  let first: number | null = null
  let last: number | null = null
  return {
    add({ seq, event, at }) {
      first ??= seq
      last = seq
      kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1)
      for (const collector of collectors) collector.add(seq, event)
      timeline.add(seq, event, at ?? null)
    },
    view: () => ({
      events: [...kinds.values()].reduce((sum, count) => sum + count, 0),
      firstSeq: first,
      lastSeq: last,
      suspendedNow: runs.suspendedNow(),
      runs: runs.view(),
      processes: processes.view(),
      permissions: permissions.view(),
      tools: tools.view(),
      tokens: tokens.view(),
      context: context.view(),
      timeline: timeline.view(),
      timelineDropped: timeline.dropped(),
      kinds: [...kinds].map(([kind, count]) => ({ kind, count })),
    }),
  }
}

export function extendedView(entries: Iterable<JournalEntry>): ExtendedView {
  const fold = createExtendedView()
  for (const entry of entries) fold.add(entry)
  return fold.view()
}

/**
 * As it is printed with --json: the same tree, keys in snake_case. Every key is a field name; names from a
 * log are values.
 */
export function extendedViewJson(view: ExtendedView): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(view).map(([key, field]) => [snakeCase(key), toSnakeCase(field)]))
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [snakeCase(key), toSnakeCase(field)]))
}
