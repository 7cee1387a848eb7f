/**
 * What a writer must know before it appends: how far the file goes, how many lines it has, the highest seq,
 * and whether its end is whole.
 *
 * Goes over the bytes that this writer has not seen yet, looking at the first bytes of each line only; lines
 * that look odd (NUL bytes, a second record inside) are parsed. The end counts as whole when its last line
 * is: damage further up stays where it is, for readers to see.
 */
import { isObject, parseJson, tryParseJson } from '../../base/index.ts'
import type { Line } from '../../tape/lines.ts'
import { isSeq, looksLikeEntry, seqOfLine, splitChain } from './entry-line.ts'
import { readLinesSync } from './read-lines.ts'
import { recoverLine } from './recover-line.ts'

export type TailState = {
  /** Size of the file; all of it has been read. */
  readonly end: number
  readonly lines: number
  readonly maxSeq: number
  /** The chain that the last whole line carries, if it carries one. */
  readonly chain: string | null
  /** Where the trailing run of damaged lines begins; null if the end is whole. */
  readonly badSince: number | null
}

export const emptyTail: TailState = { end: 0, lines: 0, maxSeq: -1, chain: null, badSince: null }

/** `known` is what an earlier look found; `size` is how far to look. */
export function scanTail(handle: number, known: TailState, size: number): TailState {
  let { lines, maxSeq } = known
  let end = known.end
  // Enough lines to walk back over a damaged end; a longer run of damage is no tail.
  let recent: Line[] = []
  for (const line of readLinesSync(handle, known.end, size)) {
    if (line.ended) lines += 1
    for (const seq of seqsOf(line)) if (seq > maxSeq) maxSeq = seq
    if (recent.length >= 512) recent = recent.slice(-256)
    recent.push(line)
    end = line.offset + line.lengthBytes + (line.ended ? 1 : 0)
  }
  let badSince: number | null = null
  let chain = known.chain
  for (let index = recent.length - 1; index >= 0; index -= 1) {
    const line = recent[index]
    if (line === undefined) break
    const { text } = line
    if (text !== null && line.ended && isWholeLine(text)) {
      chain = splitChain(text)?.chain ?? null
      break
    }
    if (text !== null && line.ended && text.trim() === '') continue
    badSince = line.offset
  }
  return { end, lines, maxSeq, chain, badSince }
}

function seqsOf({ text }: Line): readonly number[] {
  if (text === null) return []
  const seq = seqOfLine(text)
  if (seq !== -1 && !text.includes('{"seq"', 1) && !text.includes('\0')) return [seq]
  const values: readonly unknown[] = isWholeLine(text)
    ? [parseJson(text)]
    : recoverLine(text, looksLikeEntry).records.map((record) => record.value)
  return values.flatMap((value) => (isObject(value) && isSeq(value.seq) ? [value.seq] : []))
}

/**
 * Whether the line is JSON of any kind. A torn line never is. A line that is JSON but no entry was not torn: it
 * stays, and readers report it.
 */
export function isWholeLine(text: string): boolean {
  return tryParseJson(text) !== undefined
}
