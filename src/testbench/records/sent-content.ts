/**
 * Whether what the program hands over in a replay (a file that it writes, the input of a child) is what it handed over when recorded. Compared
 * scrubbed, since the tape has no other; a difference is told by its first line.
 */
import type { Sent } from '../../boundaries/session.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'
import { firstDifference } from '../difference/first-difference.ts'
import { isAnswerKind, sentContent } from './answers.ts'
import { learnFromSettings } from './settings-secrets.ts'

/** Null if they are the same, or if this record holds nothing to compare with. */
export function contentDivergence(record: TapeRecord, sent: Sent, payloads: TapePayloads, scrubber: Scrubber, what: string): ReplayDivergence | null {
  const payload = isAnswerKind(record.kind) ? sentContent(record.kind) : undefined
  if (payload === undefined) return null
  const expected = payloads(payload)
  const given = sent(expected, fromOf(record, expected))
  if (record.kind.kind === 'file_write') learnFromSettings(record.kind.path, given, scrubber)
  const actual = scrubber.bytes(given, record.kind.kind === 'process_spawn' ? 'sent' : 'received')
  if (Buffer.compare(expected, actual) === 0) return null
  const difference = firstDifference(expected, actual)
  if (difference === null) return null
  return {
    seq: record.seq,
    category: 'content',
    message: `Replay diverged at record ${record.seq}: ${what} has another content, ${difference.where}\n  expected     ${difference.expected}\n  got          ${difference.actual}`,
    expected: difference.expected,
    actual: difference.actual,
    path: difference.path,
  }
}

function fromOf({ kind }: TapeRecord, expected: Uint8Array): number {
  return kind.kind === 'file_write' ? (kind.from ?? expected.byteLength) : expected.byteLength
}
