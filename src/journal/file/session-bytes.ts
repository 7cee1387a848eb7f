/** The bytes of a session, rotated parts and log taken as one. */
import { fs } from '../../real/index.ts'
import { listParts, type SessionFiles } from './session-files.ts'

/** `[from, to)`, in chunks of which each is good until the next is asked for. */
export function* sessionBytes(files: SessionFiles, from: number, to: number): Generator<Uint8Array> {
  let start = 0
  for (const path of [...listParts(files).map((part) => part.path), files.log]) {
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (start + size > from && start < to) yield* fileBytes(path, Math.max(0, from - start), Math.min(size, to - start))
    start += size
  }
}

function* fileBytes(path: string, from: number, to: number): Generator<Uint8Array> {
  const handle = fs.openSync(path, 'r')
  const chunk = Buffer.allocUnsafe(256 * 1024)
  try {
    for (let at = from; at < to; ) {
      const read = fs.readSync(handle, chunk, 0, Math.min(chunk.byteLength, to - at), at)
      if (read === 0) return
      yield chunk.subarray(0, read)
      at += read
    }
  } finally {
    fs.closeSync(handle)
  }
}
