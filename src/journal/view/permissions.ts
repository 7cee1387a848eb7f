/**
 * Permissions: requests, answers, open requests; and what policy denied without
 * asking.
 */
import { numberOf, textOf } from '../../base/index.ts'
import type { Collector } from './collector.ts'

type OpenPermission = {
  readonly seq: number
  readonly turn: number | null
  readonly tool: string
  readonly reason: string | null
}
export type PermissionsView = {
  readonly requested: number
  readonly approved: number
  readonly refused: number
  /** `tool_denied`: never asked. */
  readonly denied: number
  readonly gated: number
  readonly open: readonly OpenPermission[]
}

const MOST_OPEN = 10_000

export function collectPermissions(): Collector<PermissionsView> {
  const counts = { requested: 0, approved: 0, refused: 0, denied: 0, gated: 0 }
  let open: OpenPermission[] = []
  return {
    add(seq, event) {
      switch (event.kind) {
        case 'permission_requested':
          counts.requested += 1
          open.push({
            seq,
            turn: numberOf(event.turn),
            tool: textOf(event.tool) ?? '',
            reason: textOf(event.reason),
          })
          // Unanswered requests accumulate only in a log that is not a session log.
          if (open.length > MOST_OPEN) open.shift()
          return
        case 'permission_resolved':
          // An answer names no request; they are answered in the order in which they were made.
          open.shift()
          if (event.approved === true) counts.approved += 1
          else counts.refused += 1
          return
        case 'tool_denied':
          counts.denied += 1
          return
        case 'tool_gated':
          counts.gated += 1
          return
        case 'run_terminal':
          open = []
          return
      }
    },
    view: () => ({ ...counts, open: [...open] }),
  }
}
