/**
 * What a program has written and was never told the end of: a file that is still open, a write that is under way when the run ends. A recording says at its
 * end what had been handed over; a replay compares. What the tape does not say cannot be vouched for, and makes a doubt of it.
 */
import { unfinishedWrites } from '../../boundaries/files/files-of-session.ts'
import type { Session } from '../../boundaries/session.ts'
import { isRepriseError } from '../../errors/index.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecord, TapeRecorder } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'
import { contentDivergence } from '../records/sent-content.ts'
import { learnFromSettings } from '../records/settings-secrets.ts'

/** At the end of a recording, while its files are there. */
export function recordUnfinished(session: Session, recorder: TapeRecorder, scrubber: Scrubber): void {
  for (const write of unfinishedWrites(session)) {
    const handed = write.handedOver()
    if (handed === null) continue
    const before = scrubber.hits
    learnFromSettings(write.path, handed.bytes, scrubber)
    const bytes = scrubber.bytes(handed.bytes, 'received')
    const stored = recorder.payloadFromBytes(bytes)
    const added = handed.from === undefined ? null : scrubber.bytes(handed.bytes.subarray(handed.from), 'received')
    const record = { path: scrubber.text(write.path, 'sent'), contentHash: stored.contentHash, lenBytes: bytes.byteLength, payload: stored }
    const from = added === null ? {} : { from: Math.max(0, bytes.byteLength - added.byteLength) }
    recorder.record({ kind: 'file_write', ...record, ...from, unfinished: scrubber.text(write.key, 'sent') }, scrubber.hits - before)
  }
}

/** Whether a recording writes this when its program has ended. */
export function isOfTheEnd(kind: TapeRecord['kind']): boolean {
  return kind.kind === 'file_state' ? kind.when === 'after' : kind.kind === 'file_write' && kind.unfinished !== undefined
}

/** At the end there is nobody to tell; that a payload is missing is said of the tape. */
export function unlessPayloadIsGone(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isRepriseError(error) || error.code !== 'cas-missing') throw error
  }
}

export type UnfinishedFindings = { readonly divergences: readonly ReplayDivergence[]; readonly doubts: readonly string[] }

/** `recorded` are the records that `recordUnfinished` has written. */
export function compareUnfinished(session: Session, recorded: readonly TapeRecord[], payloads: TapePayloads, scrubber: Scrubber): UnfinishedFindings {
  const left = [...recorded]
  const divergences: ReplayDivergence[] = []
  const doubts: string[] = []
  for (const write of unfinishedWrites(session)) {
    const key = scrubber.text(write.key, 'sent')
    const at = left.findIndex(({ kind }) => kind.kind === 'file_write' && kind.unfinished === key)
    const [record] = at < 0 ? [] : left.splice(at, 1)
    if (record === undefined) doubts.push(`what was written to ${write.path}, and not finished at the end, is not on the tape`)
    else {
      const other = contentDivergence(record, write.sent, payloads, scrubber, `${write.path}, not finished at the end,`)
      if (other !== null) divergences.push(other)
    }
  }
  for (const { kind } of left) if (kind.kind === 'file_write') doubts.push(`${kind.path} was not finished at the end of the recording, and now it is`)
  return { divergences, doubts }
}
