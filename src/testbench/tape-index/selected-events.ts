/** The selected records of a tape for a replay, edited where a what-if edits them. */
import type { TapeRecord } from '../../tape/index.ts'
import type { RecordEvent, TapeEvent } from '../../tape/parser.ts'

/** Records that are read in place of one. */
export type EditRecord = (record: TapeRecord) => readonly TapeRecord[] | null

/** An edited record has no line: it is on no tape. */
export function* editedEvents(
  events: Iterable<TapeEvent>,
  edit: EditRecord,
): Generator<TapeEvent, void, undefined> {
  for (const event of events) {
    const instead = event.type === 'record' ? edit(event.record) : null
    if (instead === null || event.type !== 'record') yield event
    else for (const record of instead) yield { ...event, record, text: '' }
  }
}

export function* selectedIn(
  batches: Iterable<readonly TapeEvent[]>,
  edit: EditRecord | null,
  isSelected: (record: TapeRecord) => boolean,
): Generator<readonly RecordEvent[], void, undefined> {
  for (const events of batches) {
    const selected: RecordEvent[] = []
    for (const event of edit === null ? events : editedEvents(events, edit))
      if (event.type === 'record' && isSelected(event.record)) selected.push(event)
    yield selected
  }
}
