/**
 * One line of a journal: `{"seq":N,"event":{…}}`, and on request `at` and `chain` after them, because newer
 * upstream readers refuse any other key. `chain` is always the last key, so that the text it covers is the
 * line without it.
 */
import { contentHash, isObject, utf8 } from '../../base/index.ts'
import type { ScrubbedText } from '../../scrub/index.ts'
import { decodeEvent } from '../events/decode.ts'
import type { JournalEntry } from '../events/journal.ts'
import { type EventProblem, shown } from '../events/problems.ts'

export type LineExtras = { readonly at: string | null; readonly chainAfter: string | null }

/** The line around an event's text, which is made once; the line is made when its seq is known. */
export function entryLine(
  seq: number,
  event: ScrubbedText,
  extras: LineExtras,
): { readonly line: string; readonly chain: string | null } {
  const at = extras.at === null ? '' : `,"at":${JSON.stringify(extras.at)}`
  const body = `{"seq":${seq},"event":${event}${at}}`
  if (extras.chainAfter === null) return { line: `${body}\n`, chain: null }
  const chain = lineChain(extras.chainAfter, body)
  return { line: `${body.slice(0, -1)},"chain":"${chain}"}\n`, chain }
}

/** BLAKE3 of the previous line's chain (empty for the first) and this line without its own. */
export function lineChain(previous: string, body: string): string {
  return contentHash(utf8(previous + body))
}

const CHAIN_SUFFIX = /,"chain":"([0-9a-f]{64})"\}$/

/** The chain that a line carries and the text that it covers; null if it carries none. */
export function splitChain(line: string): { readonly chain: string; readonly body: string } | null {
  const match = CHAIN_SUFFIX.exec(line)
  return match === null ? null : { chain: match[1] ?? '', body: `${line.slice(0, match.index)}}` }
}

export type DecodedEntry =
  | { readonly ok: true; readonly entry: JournalEntry }
  | { readonly ok: false; readonly problems: readonly EventProblem[] }

/** A parsed line as an entry. Keys other than `seq`, `event` and `at` are ignored. */
export function decodeEntry(value: unknown): DecodedEntry {
  if (!isObject(value))
    return { ok: false, problems: [{ path: '$', reason: `expected an object, got ${shown(value)}` }] }
  if (!isSeq(value.seq))
    return {
      ok: false,
      problems: [{ path: '$.seq', reason: `expected a whole number, got ${shown(value.seq)}` }],
    }
  const decoded = decodeEvent(value.event)
  const at = typeof value.at === 'string' ? { at: value.at } : {}
  if (decoded.ok) return { ok: true, entry: { seq: value.seq, event: decoded.event, ...at } }
  return {
    ok: false,
    problems: decoded.problems.map(({ path, reason }) => ({ path: path.replace('$', '$.event'), reason })),
  }
}

export function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** A line that a journal could have written, whatever its event is. */
export function looksLikeEntry(value: unknown): boolean {
  return isObject(value) && isSeq(value.seq) && isObject(value.event)
}

const SEQ_FIRST = /^\{"seq": ?(\d{1,15})[, ]/

/**
 * The seq of a line by its beginning, without parsing the rest; -1 if it does not begin as an entry does
 * here, in Node, Rust or Python.
 */
export function seqOfLine(line: string): number {
  const match = SEQ_FIRST.exec(line)
  return match === null ? -1 : Number(match[1])
}
