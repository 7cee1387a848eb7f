/**
 * The decoded form of text that is written as the codes of its characters, so that every rule also finds
 * secrets in there. All stretches are put into one view, with a gap between them.
 *
 * Decision 0447.
 */
import { type Codes, cutCode, isCodeByte, readCodes, SHORTEST_CODES } from './code-alphabet.ts'
import type { View } from './view.ts'

/** Separates two stretches: no rule matches across it. */
const GAP = 0

export type CodeViews = {
  readonly views: readonly View[]
  /** The offset from which a code may begin; the length of the text if there is none. */
  readonly rest: number
}

/**
 * One view of all stretches, and one more for each stretch that may continue. `places` has an offset in each
 * run of codes, found by the scan.
 */
export function codeViews(text: string, isEnd: boolean, places: readonly number[]): CodeViews | null {
  const final = isEnd || ENDS_LINE.test(text.slice(-3))
  if (places.length === 0 && (final || !isCodeAt(text, text.length - 1))) return null
  const closed: Codes[] = []
  const views: View[] = []
  let done = 0
  for (const at of final ? places : [...places, text.length - 1]) {
    if (at < done || !isCodeAt(text, at)) continue
    let start = at
    while (start > done && isCodeAt(text, start - 1)) start -= 1
    let end = at
    while (end < text.length && isCodeAt(text, end)) end += 1
    done = end
    const isOpen = !final && end === text.length
    const bytes = Buffer.from(text.slice(start, end), 'latin1')
    readCodes(bytes, 0, bytes.length, isOpen, (codes, isLast) => {
      for (let index = 0; index < codes.starts.length; index += 1) {
        codes.starts[index] = start + (codes.starts[index] ?? 0)
        codes.ends[index] = start + (codes.ends[index] ?? 0)
      }
      if (codes.chars.length >= SHORTEST_CODES && !(isOpen && isLast)) closed.push(codes)
      if (!isOpen || !isLast) return
      views.push(viewOf([codes], false))
    })
  }
  if (closed.length > 0) views.unshift(viewOf(closed, true))
  const cut = final ? 0 : cutCode(text)
  const rest = text.length - cut
  return views.length === 0 && rest === text.length ? null : { views, rest }
}

/**
 * A line of JSON, a message or a statement is complete: codes do not continue after it. In a list, a line ends
 * with a comma or a number. Held lines would get the numbers of their placeholders in another order in a replay.
 */
const ENDS_LINE = /["'}\];]\r?\n$/

function isCodeAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < 256 && isCodeByte(code)
}

function viewOf(stretches: readonly Codes[], final: boolean): View {
  const chars: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (const stretch of stretches) {
    for (let index = 0; index < stretch.chars.length; index += 1) {
      chars.push(stretch.chars[index] ?? 0)
      starts.push(stretch.starts[index] ?? 0)
      ends.push(stretch.ends[index] ?? 0)
    }
    const end = ends[ends.length - 1] ?? 0
    if (final) chars.push(GAP)
    starts.push(end)
    ends.push(end)
  }
  const startOf = (at: number): number => starts[at] ?? starts[starts.length - 1] ?? 0
  return {
    text: Buffer.from(chars).toString('latin1'),
    final,
    start: startOf,
    end: (at) => ends[at - 1] ?? 0,
    from: startOf,
  }
}
