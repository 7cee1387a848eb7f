/** The bytes of a session, rotated parts and log taken as one. */
import { withSystemErrors } from '../../errors/index.ts'
import { fs } from '../../real/index.ts'
import { openInOrder } from './open-in-order.ts'
import type { SessionFiles } from './session-files.ts'

/** `[from, to)`, in chunks; each is valid until the next one is requested. */
export function* sessionBytes(files: SessionFiles, from: number, to: number): Generator<Uint8Array> {
  let start = 0
  for (const { handle, path } of openInOrder(files)) {
    const { size } = fs.fstatSync(handle)
    if (start + size > from && start < to)
      yield* fileBytes(handle, path, Math.max(0, from - start), Math.min(size, to - start))
    start += size
  }
}

function* fileBytes(handle: number, path: string, from: number, to: number): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafeSlow(Math.min(256 * 1024, to - from))
  for (let at = from; at < to; ) {
    const length = Math.min(chunk.byteLength, to - at)
    const read = withSystemErrors('read', path, () => fs.readSync(handle, chunk, 0, length, at))
    if (read === 0) return
    yield chunk.subarray(0, read)
    at += read
  }
}
