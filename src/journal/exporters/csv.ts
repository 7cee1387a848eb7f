/**
 * Events as CSV, one row each: seq, time, kind, category, primitive, turn, then the event itself as JSON. RFC
 * 4180 quoting. A cell that a spreadsheet would run as a formula gets a quote in front.
 */
import { eventCategory, eventPrimitive } from '../events/category.ts'
import type { JournalEntry } from '../events/journal.ts'

export const csvHeader = 'seq,at,kind,category,primitive,turn,event'

export function csvRow({ seq, event }: JournalEntry): string {
  const { at, turn } = event as { readonly at?: unknown; readonly turn?: unknown }
  const cells = [
    seq,
    at ?? '',
    event.kind,
    eventCategory(event),
    eventPrimitive(event),
    turn ?? '',
    JSON.stringify(event),
  ]
  return cells
    .map((cell) =>
      csvCell(
        typeof cell === 'string' ? cell : typeof cell === 'number' ? String(cell) : JSON.stringify(cell),
      ),
    )
    .join(',')
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
