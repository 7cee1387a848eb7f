/**
 * Cuts bytes that come in chunks into lines of text. Holds at most one unfinished line, and no more of it
 * than `MAX_LINE_BYTES`: of a longer line only its length is kept, so a 600 MB line costs no memory.
 *
 * A chunk is decoded in one go and its lines are slices of that text, which is what makes loading fast; only
 * a chunk that is not UTF-8 is taken line by line.
 */
import { isAscii, isUtf8 } from '../base/index.ts'

/**
 * Far above any line a writer makes (payloads over 4096 bytes are not in the line), far below the longest
 * string.
 */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

/** One line and where it is. */
export type Line = {
  /** From 1, counted from where reading began. */
  readonly number: number
  /** Of its first byte in the file. */
  readonly offset: number
  /** Without the line break; null where there is a problem. */
  readonly text: string | null
  readonly lengthBytes: number
  readonly problem: LineProblem | null
  /** False for a last line without a line break. */
  readonly ended: boolean
}

/** What kept a line from being text. */
type LineProblem = 'too-long' | 'not-utf8'

/**
 * Takes one line, without its line break. `text` is null where there is a problem; `ended` is false for a
 * last line without a line break. If `bytes` is not null, the line is also there, at `from`, followed by its
 * line break; the bytes are valid until the call returns. Arguments instead of an object: this is called a
 * million times for a large tape.
 */
export type LineSink = (
  text: string | null,
  lengthBytes: number,
  problem: LineProblem | null,
  ended: boolean,
  bytes: Buffer | null,
  from: number,
) => void

export type LineSplitter = {
  /** Gives the lines that this chunk ends to the sink. The chunk may be reused afterwards. */
  push(chunk: Buffer): void
  /** Gives the unfinished last line, if any. */
  end(): void
}

export function createLineSplitter(sink: LineSink, maxLineBytes: number = MAX_LINE_BYTES): LineSplitter {
  let carried: Buffer[] = []
  let carriedBytes = 0

  const giveBytes = (bytes: Buffer, ended: boolean): void => {
    if (bytes.length > maxLineBytes) sink(null, bytes.length, 'too-long', ended, null, 0)
    else if (isUtf8(bytes)) sink(bytes.toString('utf8'), bytes.length, null, ended, null, 0)
    else sink(null, bytes.length, 'not-utf8', ended, null, 0)
  }

  /** Ends the line that earlier chunks began. */
  const giveCarried = (rest: Buffer, ended: boolean): void => {
    const lengthBytes = carriedBytes + rest.length
    const parts = carried
    carried = []
    carriedBytes = 0
    if (lengthBytes > maxLineBytes) sink(null, lengthBytes, 'too-long', ended, null, 0)
    else giveBytes(Buffer.concat([...parts, rest]), ended)
  }

  const carry = (rest: Buffer): void => {
    carriedBytes += rest.length
    // Copied, since the chunk may be reused; dropped when the line is too long anyway.
    if (carriedBytes > maxLineBytes) carried = []
    else carried.push(Buffer.from(rest))
  }

  return {
    push(chunk) {
      let from = 0
      if (carriedBytes > 0) {
        const first = chunk.indexOf(10)
        if (first < 0) {
          carry(chunk)
          return
        }
        giveCarried(chunk.subarray(0, first), true)
        from = first + 1
      }
      const to = Math.max(from, chunk.lastIndexOf(10) + 1)
      const whole = chunk.subarray(from, to)
      if (isUtf8(whole)) splitText(whole, sink)
      else splitBytes(whole, giveBytes)
      if (to < chunk.length) carry(chunk.subarray(to))
    },
    end() {
      if (carriedBytes > 0) giveCarried(Buffer.alloc(0), false)
    },
  }
}

function splitText(whole: Buffer, sink: LineSink): void {
  const text = whole.toString(isAscii(whole) ? 'latin1' : 'utf8')
  const oneByteEach = text.length === whole.length
  let fromByte = 0
  for (let from = 0; from < text.length; ) {
    const at = text.indexOf('\n', from)
    const line = text.slice(from, at)
    const lengthBytes = oneByteEach ? line.length : Buffer.byteLength(line)
    sink(line, lengthBytes, null, true, whole, fromByte)
    from = at + 1
    fromByte += lengthBytes + 1
  }
}

function splitBytes(whole: Buffer, give: (bytes: Buffer, ended: boolean) => void): void {
  for (let from = 0; from < whole.length; ) {
    const at = whole.indexOf(10, from)
    give(whole.subarray(from, at), true)
    from = at + 1
  }
}
