/**
 * Whether what the program hands over in a replay (a file that it writes, the input of a child) is what it handed over when recorded. Compared
 * scrubbed, since the tape has no other; a difference is told by its first line.
 */
import { textOrNull } from '../../base/index.ts'
import type { Sent } from '../../boundaries/session.ts'
import { normalisePlaceholders, type Scrubber } from '../../scrub/index.ts'
import type { TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { isAnswerKind, sentContent } from '../answers.ts'
import { learnFromDotenv } from '../files/dotenv.ts'
import type { ReplayDivergence } from '../verdict/divergence.ts'

const MAX_SHOWN = 120

/** Null if they are the same, or if this record holds nothing to compare with. */
export function contentDivergence(record: TapeRecord, sent: Sent, payloads: TapePayloads, scrubber: Scrubber, what: string): ReplayDivergence | null {
  const payload = isAnswerKind(record.kind) ? sentContent(record.kind) : undefined
  if (payload === undefined) return null
  const expected = payloads(payload)
  const given = sent(expected, fromOf(record, expected))
  if (record.kind.kind === 'file_write') learnFromDotenv(record.kind.path, given, scrubber)
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
    path: difference.where,
  }
}

function fromOf({ kind }: TapeRecord, expected: Uint8Array): number {
  return kind.kind === 'file_write' ? (kind.from ?? expected.byteLength) : expected.byteLength
}

type Difference = { readonly where: string; readonly expected: string; readonly actual: string }

function firstDifference(expected: Uint8Array, actual: Uint8Array): Difference | null {
  const [before, now] = [textOrNull(expected), textOrNull(actual)]
  if (before === null || now === null) return differingByte(expected, actual)
  // A placeholder that says another length or number stands for the same secret, and so does one that was filled up with blanks.
  const linesOf = (text: string): string[] =>
    normalisePlaceholders(text)
      .replace(/(<redacted:[^<>]*>) +/g, '$1')
      .split('\n')
  const [recorded, live] = [linesOf(before), linesOf(now)]
  const at = recorded.findIndex((line, index) => line !== live[index])
  const line = at < 0 ? recorded.length : at
  if (at < 0 && live.length === recorded.length) return null
  return { where: `first at line ${line + 1}`, expected: shown(recorded[line]), actual: shown(live[line]) }
}

function differingByte(expected: Uint8Array, actual: Uint8Array): Difference {
  const shorter = Math.min(expected.byteLength, actual.byteLength)
  let at = 0
  while (at < shorter && expected[at] === actual[at]) at += 1
  const byte = (bytes: Uint8Array): string => (at < bytes.byteLength ? `0x${(bytes[at] ?? 0).toString(16).padStart(2, '0')}` : 'the end')
  return { where: `first at byte ${at}`, expected: byte(expected), actual: byte(actual) }
}

function shown(line: string | undefined): string {
  if (line === undefined) return 'the end'
  return JSON.stringify(line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line)
}
