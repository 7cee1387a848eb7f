/**
 * After a full read of a terminal there is mostly more, and the loop would ask for it 4 KB at a time, each
 * with a buffer of 64 KB and a round of its own. What is there is read at once instead, up to the first short
 * read or 64 KB. Between two reads the system fills its buffer again: `meanwhile` is called.
 */
import nodeFs from 'node:fs'

const { readSync } = nodeFs

/** What one read of a Linux terminal gives at most, but for the last byte of its buffer. */
export const FULL_READ = 4095
const MAX_CHUNK = 64 * 1024
const MOST_FREE = 4

export type ReadOn = {
  /** What there is after this full read, with it. `more`: the last read was full too. */
  after(first: Uint8Array): { readonly bytes: Uint8Array; readonly more: boolean }
  /** The memory of these bytes is free again. */
  reuse(bytes: Uint8Array): void
}

export function createReadOn(fd: number, meanwhile: () => void): ReadOn {
  const blocks = new WeakSet<ArrayBufferLike>()
  const free: Buffer[] = []
  const newBlock = (): Buffer => {
    const block = Buffer.allocUnsafeSlow(MAX_CHUNK)
    blocks.add(block.buffer)
    return block
  }
  return {
    after(first) {
      const block = free.pop() ?? newBlock()
      block.set(first)
      let end = first.byteLength
      let more = true
      while (more && end + FULL_READ < MAX_CHUNK) {
        meanwhile()
        const count = readNow(fd, block, end)
        if (count === 0) break
        end += count
        more = count >= FULL_READ
      }
      return { bytes: block.subarray(0, end), more }
    },
    reuse({ buffer }) {
      if (blocks.has(buffer) && free.length < MOST_FREE && free.every((block) => block.buffer !== buffer))
        free.push(Buffer.from(buffer))
    },
  }
}

function readNow(fd: number, block: Buffer, at: number): number {
  try {
    return readSync(fd, block, at, MAX_CHUNK - at, null)
  } catch {
    // EAGAIN: nothing more now. EIO: the end, which the loop meets next.
    return 0
  }
}
