/**
 * Cuts bytes that come in chunks into lines. Holds at most one unfinished line, and no more of it than `MAX_LINE_BYTES`: of a longer line only
 * its length is kept, so a 600 MB line costs no memory.
 */

/** Far above any line a writer makes (payloads over 4096 bytes are not in the line), far below the longest string. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

export type Line = {
  /** 1-based. */
  readonly number: number
  /** Offset of its first byte in the file. */
  readonly offset: number
  /** Without the line break; empty when `tooLong`. */
  readonly bytes: Buffer
  readonly lengthBytes: number
  readonly tooLong: boolean
  /** False for a last line without a line break. */
  readonly ended: boolean
}

export type LineSplitter = {
  /** The lines that this chunk ends. They point into the chunk: use them before it is reused. */
  push(chunk: Buffer): readonly Line[]
  /** The unfinished last line, if any. */
  end(): Line | null
}

export function createLineSplitter(maxLineBytes: number = MAX_LINE_BYTES): LineSplitter {
  let carried: Buffer[] = []
  let carriedBytes = 0
  let number = 1
  let offset = 0

  const take = (rest: Buffer, ended: boolean): Line => {
    const lengthBytes = carriedBytes + rest.length
    const tooLong = lengthBytes > maxLineBytes
    const bytes = tooLong ? Buffer.alloc(0) : carried.length === 0 ? rest : Buffer.concat([...carried, rest])
    const line: Line = { number, offset, bytes, lengthBytes, tooLong, ended }
    carried = []
    carriedBytes = 0
    number += 1
    offset += lengthBytes + (ended ? 1 : 0)
    return line
  }

  return {
    push(chunk) {
      const lines: Line[] = []
      let from = 0
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        lines.push(take(chunk.subarray(from, at), true))
        from = at + 1
      }
      if (from < chunk.length) {
        carriedBytes += chunk.length - from
        // Copied: the chunk may be reused by the reader.
        if (carriedBytes > maxLineBytes) carried = []
        else carried.push(Buffer.from(chunk.subarray(from)))
      }
      return lines
    },
    end: () => (carriedBytes === 0 ? null : take(Buffer.alloc(0), false)),
  }
}
