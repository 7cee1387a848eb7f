/**
 * The lines of an open file, a chunk at a time, from any offset. Holds one chunk and one unfinished line.
 */
import { fromSystemError } from '../../errors/index.ts'
import { fs } from '../../real/index.ts'
import { createLineSplitter, type Line, type LineSplitter } from '../../tape/lines.ts'

const CHUNK_BYTES = 256 * 1024

/** Cuts chunks into lines with their offsets. */
export function createLineReader(
  from: number,
  see: (line: Line) => void,
  isWanted: (text: string | null) => boolean = () => true,
): LineSplitter {
  let number = 0
  let offset = from
  return createLineSplitter((text, lengthBytes, problem, ended) => {
    number += 1
    const start = offset
    offset += lengthBytes + (ended ? 1 : 0)
    if (isWanted(text)) see({ number, offset: start, text, lengthBytes, problem, ended })
  })
}

function isFilled(text: string | null): boolean {
  return text !== '' && text !== '\r'
}

/** In batches, reading off the main thread. Empty lines are counted and left out: a file may have millions. */
export async function* readFilledLines(handle: number, path: string): AsyncGenerator<readonly Line[]> {
  let lines: Line[] = []
  const reader = createLineReader(0, (line) => void lines.push(line), isFilled)
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  for (let at = 0; ; ) {
    const bytes = await readInto(handle, path, chunk, at)
    if (bytes === 0) break
    at += bytes
    reader.push(chunk.subarray(0, bytes))
    if (lines.length > 0) yield lines
    lines = []
  }
  reader.end()
  if (lines.length > 0) yield lines
}

/** The same without giving way, for work under a lock. */
export function* readLinesSync(handle: number, from: number, to: number): Generator<Line> {
  let lines: Line[] = []
  const reader = createLineReader(from, (line) => void lines.push(line))
  const chunk = Buffer.allocUnsafeSlow(Math.max(1, Math.min(CHUNK_BYTES, to - from)))
  for (let at = from; at < to; ) {
    const bytes = fs.readSync(handle, chunk, 0, Math.min(chunk.byteLength, to - at), at)
    if (bytes === 0) break
    at += bytes
    reader.push(chunk.subarray(0, bytes))
    yield* lines
    lines = []
  }
  reader.end()
  yield* lines
}

function readInto(handle: number, path: string, space: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(handle, space, 0, space.byteLength, position, (error, bytes) =>
      error === null ? resolve(bytes) : reject(fromSystemError(error, 'read', path)),
    )
  })
}
