/**
 * The last gate before an event is written anywhere: decoded, not nested deeper than upstream's JSON reader follows, and scrubbed. What the agent
 * wrote is scrubbed by every rule, what it took in (tool results, retrieved memories) by exact values and anchored key shapes only.
 */
import { RepriseError } from '../errors/index.ts'
import type { Scrubbed, Scrubber, Side } from '../scrub/index.ts'
import { parseSessionEvent } from './events/decode.ts'
import type { SessionEvent } from './events/kinds.ts'

/** serde_json stops at 128 levels; the line around the event takes one. */
const MAX_EVENT_DEPTH = 120

export function writableEvent(event: unknown, scrubber: Scrubber): Scrubbed<SessionEvent> {
  if (isDeeperThan(event, MAX_EVENT_DEPTH)) {
    throw new RepriseError('event-too-deep', `the event is nested deeper than ${MAX_EVENT_DEPTH} levels`, {
      hint: 'upstream readers stop at 128 levels: flatten it, or keep it as a string',
    })
  }
  const decoded = parseSessionEvent(event)
  return scrubber.value(decoded, sideOf(decoded.kind))
}

export function sideOf(kind: string): Side {
  return kind === 'tool_completed' || kind === 'memory_retrieval_result' ? 'received' : 'sent'
}

function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  for (const key in value) if (isDeeperThan((value as { readonly [key: string]: unknown })[key], limit - 1)) return true
  return false
}
