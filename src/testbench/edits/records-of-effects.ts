/** Reads what an edit needs from a tape: the named records, and every record of the effects that they belong to. */
import { isForeignRecord } from '../../tape/foreign.ts'
import { readTapeEvents, type TapeRecord } from '../../tape/index.ts'
import { wrong } from './edit.ts'
import { effectOf } from './edit-subject.ts'

export function targetsOf(path: string, wanted: ReadonlySet<number>): ReadonlyMap<number, TapeRecord> {
  const targets = new Map<number, TapeRecord>()
  let isForeign = true
  for (const event of readTapeEvents(path)) {
    if (event.type === 'header') isForeign = event.header.producer === undefined
    if (event.type !== 'record') continue
    isForeign &&= isForeignRecord(event.record)
    if (wanted.has(event.record.seq)) targets.set(event.record.seq, event.record)
  }
  if (isForeign) throw wrong('a tape of another system cannot be edited')
  return targets
}

export function recordsOfEffects(
  path: string,
  wanted: ReadonlySet<number>,
): ReadonlyMap<number, readonly TapeRecord[]> {
  const found = new Map<number, TapeRecord[]>([...wanted].map((effect) => [effect, []]))
  if (wanted.size === 0) return found
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const effect = effectOf(event.record.kind)
    if (effect !== null) found.get(effect)?.push(event.record)
  }
  return found
}
