/**
 * The last gate before an event is written anywhere: decoded, not nested deeper than upstream's JSON reader
 * follows, and scrubbed. What the agent wrote is scrubbed by every rule, what it took in (tool results,
 * retrieved memories) by exact values and anchored key shapes only.
 */
import { RepriseError } from '../../errors/index.ts'
import type { ScrubbedText, Scrubber, Side } from '../../scrub/index.ts'
import { MAX_LINE_BYTES } from '../../tape/lines.ts'
import { parseSessionEvent } from './decode.ts'
import type { SessionEvent } from './kinds.ts'

/** serde_json stops at 128 levels; the line around the event takes one. */
const MAX_EVENT_DEPTH = 120

export type WritableEvent = { readonly kind: string; readonly text: ScrubbedText }

/**
 * The event as the JSON text that is written. Text goes through the scrubber faster than a value does, and is
 * what is needed.
 */
export function writableEvent(event: unknown, scrubber: Scrubber): WritableEvent {
  if (isDeeperThan(event, MAX_EVENT_DEPTH)) {
    throw new RepriseError('event-too-deep', `the event is nested deeper than ${MAX_EVENT_DEPTH} levels`, {
      hint: 'upstream readers stop at 128 levels: flatten it, or keep it as a string',
    })
  }
  const decoded = parseSessionEvent(event)
  const text = jsonOf(decoded)
  if (text.length > MAX_LINE_BYTES / 3) refuseLarge(decoded.kind, Buffer.byteLength(text))
  return { kind: decoded.kind, text: scrubber.jsonText(text, sideOf(decoded.kind)) }
}

function sideOf(kind: string): Side {
  return kind === 'tool_completed' || kind === 'memory_retrieval_result' ? 'received' : 'sent'
}

function jsonOf(event: SessionEvent): string {
  try {
    return JSON.stringify(event)
  } catch (error) {
    // A BigInt, or a toJSON that throws, in a field that no table lists.
    throw new RepriseError(
      'event-invalid',
      `not a session event (${event.kind}): it cannot be written as JSON`,
      { cause: error },
    )
  }
}

/** Room for the line around it, and for placeholders that are longer than what they replace. */
function refuseLarge(kind: string, bytes: number): void {
  if (bytes <= MAX_LINE_BYTES - 1024 * 1024) return
  throw new RepriseError('event-too-large', `the event does not fit into a line of ${MAX_LINE_BYTES} bytes`, {
    details: { kind, bytes },
    hint: 'keep large results elsewhere and name them in the event (spool_ref)',
  })
}

function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  for (const key in value)
    if (isDeeperThan((value as { readonly [key: string]: unknown })[key], limit - 1)) return true
  return false
}
