/**
 * Writes of a program that never completed: a file that is still open, a write that is under
 * way when the run ends. A recording stores at its end what had been passed; a replay compares. What is
 * not on the tape cannot be verified, and is a doubt.
 */
import { unfinishedWrites } from '../../boundaries/files/files-of-session.ts'
import type { Session } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecord, TapeRecorder } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { sentDivergence } from '../records/sent-content.ts'
import { learnFromSettings } from '../records/settings-secrets.ts'

/** At the end of a recording, while its files are there. */
export function recordUnfinished(session: Session, recorder: TapeRecorder, scrubber: Scrubber): void {
  for (const write of unfinishedWrites(session)) {
    const handed = write.passedBytes()
    if (handed === null) continue
    const before = scrubber.hits
    learnFromSettings(write.path, handed.bytes, scrubber)
    const bytes = scrubber.bytes(handed.bytes, 'received')
    const stored = recorder.payloadFromBytes(bytes)
    const added =
      handed.from === undefined ? null : scrubber.bytes(handed.bytes.subarray(handed.from), 'received')
    const record = {
      path: scrubber.text(write.path, 'sent'),
      contentHash: stored.contentHash,
      lenBytes: bytes.byteLength,
      payload: stored,
    }
    const from = added === null ? {} : { from: Math.max(0, bytes.byteLength - added.byteLength) }
    recorder.record(
      { kind: 'file_write', ...record, ...from, unfinished: scrubber.text(write.key, 'sent') },
      scrubber.hits - before,
    )
  }
}

export type UnfinishedFindings = {
  readonly divergences: readonly Divergence[]
  readonly doubts: readonly string[]
}

/**
 * `recorded` are the records that `recordUnfinished` wrote. Writes what this run has in their place, and
 * compares.
 */
export function compareUnfinished(
  session: Session,
  recorded: readonly TapeRecord[],
  payloads: TapePayloads,
  { recorder, scrubber }: { readonly recorder: TapeRecorder; readonly scrubber: Scrubber },
): UnfinishedFindings {
  const left = [...recorded]
  const divergences: Divergence[] = []
  const doubts: string[] = []
  for (const write of unfinishedWrites(session)) {
    const key = scrubber.text(write.key, 'sent')
    const at = left.findIndex(({ kind }) => kind.kind === 'file_write' && kind.unfinished === key)
    const [record] = at < 0 ? [] : left.splice(at, 1)
    if (record === undefined || record.kind.kind !== 'file_write' || record.kind.payload === undefined) {
      doubts.push(`what was written to ${write.path}, and not finished at the end, is not on the tape`)
      continue
    }
    const { payload, from } = record.kind
    const expected = payloads(payload)
    const raw = write.sent(expected, from ?? expected.byteLength)
    learnFromSettings(write.path, raw, scrubber)
    const bytes = scrubber.bytes(raw, 'received')
    const stored = recorder.payloadFromBytes(bytes)
    const kind = {
      kind: 'file_write',
      path: scrubber.text(write.path, 'sent'),
      contentHash: stored.contentHash,
      lenBytes: bytes.byteLength,
    } as const
    recorder.record(
      { ...kind, payload: stored, ...(from === undefined ? {} : { from }), unfinished: key },
      record.scrubbed,
    )
    const other = sentDivergence(record.seq, expected, bytes, `${write.path}, not finished at the end,`)
    if (other !== null) divergences.push(other)
  }
  for (const { kind } of left)
    if (kind.kind === 'file_write')
      doubts.push(`${kind.path} was not finished at the end of the recording, and now it is`)
  return { divergences, doubts }
}
