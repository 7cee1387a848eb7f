/**
 * JSON text into values, as a stream decoder sees it: values follow each other with or without line ends,
 * blank lines are fine, and a document is the first value of its file. Nesting ends at `MAX_JSON_DEPTH`, so
 * no later step can run out of stack.
 */
import { JsonScanError, parseJson, scanJson } from '../../base/index.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Invalid UTF-8 becomes U+FFFD, as in the format's own reader; the digests show whether the file was so from
 * the start.
 */
export function jsonText(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

export function firstValue(text: string): unknown {
  const end = scanJson(text, ignore)
  return parseJson(text.slice(0, end))
}

export type ValueAt = { readonly value: unknown; readonly line: number }

export function* streamValues(text: string): Generator<ValueAt> {
  let line = 1
  let at = 0
  // A line with many values is tried as one value once, at its beginning: its length counts once.
  let isLineStart = true
  while (at < text.length) {
    if (isLineStart) {
      const lineEnd = text.indexOf('\n', at)
      const end = lineEnd === -1 ? text.length : lineEnd
      const quick = wholeLine(text.slice(at, end))
      if (quick !== undefined) {
        if (quick !== BLANK) yield { value: quick, line }
        at = end + 1
        line += 1
        continue
      }
    }
    const start = skipSpace(text, at)
    const skipped = lineEnds(text, at, start)
    line += skipped
    isLineStart = !isLineStart && skipped > 0
    if (isLineStart) {
      at = start
      continue
    }
    if (start >= text.length) return
    const stop = scanJson(text, ignore, start)
    yield { value: parseJson(text.slice(start, stop)), line }
    line += lineEnds(text, start, stop)
    at = stop
  }
}

const BLANK = Symbol('blank line')

/**
 * The one value on this line, BLANK where there is none, undefined where the line does not hold exactly one
 * value.
 */
function wholeLine(line: string): unknown {
  if (line.trim() === '') return BLANK
  try {
    return parseJson(line)
  } catch (error) {
    if (error instanceof JsonScanError) throw error
    // Not one whole value: it may go on in the next line, or a second one may follow. The scanner decides,
    // and names the offset.
    return undefined
  }
}

function lineEnds(text: string, from: number, to: number): number {
  return text.slice(from, to).split('\n').length - 1
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \n\r\t'.includes(text[at] ?? '')) at += 1
  return at
}

function ignore(): void {
  // Only the grammar and the end of the value matter here.
}
