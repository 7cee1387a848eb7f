/**
 * The lines of an open file, a chunk at a time, from any offset. Holds one chunk and one unfinished line. Lines are views into the chunk: use them
 * before asking for the next batch.
 */
import { fs } from '../../real/index.ts'
import { createLineSplitter, type Line } from '../../tape/lines.ts'

const CHUNK_BYTES = 256 * 1024

/** In batches, reading off the main thread. Offsets are those of the file; numbers count from where reading began. */
export async function* readLines(handle: number, from = 0, to = Number.POSITIVE_INFINITY): AsyncGenerator<readonly Line[]> {
  const splitter = createLineSplitter()
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  for (let at = from; at < to; ) {
    const bytes = await readInto(handle, chunk, Math.min(chunk.byteLength, to - at), at)
    if (bytes === 0) break
    at += bytes
    const lines = splitter.push(chunk.subarray(0, bytes))
    if (lines.length > 0) yield from === 0 ? lines : lines.map((line) => ({ ...line, offset: line.offset + from }))
  }
  const rest = splitter.end()
  if (rest !== null) yield [{ ...rest, offset: rest.offset + from }]
}

/** The same without giving way, for work under a lock. Each line keeps its bytes. */
export function* readLinesSync(handle: number, from: number, to: number): Generator<Line> {
  const splitter = createLineSplitter()
  for (let at = from; at < to; ) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, to - at))
    const bytes = fs.readSync(handle, chunk, 0, chunk.byteLength, at)
    if (bytes === 0) break
    at += bytes
    for (const line of splitter.push(chunk.subarray(0, bytes))) yield { ...line, offset: line.offset + from }
  }
  const rest = splitter.end()
  if (rest !== null) yield { ...rest, offset: rest.offset + from }
}

function readInto(handle: number, space: Buffer, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(handle, space, 0, length, position, (error, bytes) => (error === null ? resolve(bytes) : reject(error)))
  })
}
