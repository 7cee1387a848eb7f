/**
 * The bytes of a file in the layer: still in the lower file system, in memory, or spilled. The total in
 * memory stays below a limit; a write that would exceed it moves that file's bytes to the spill.
 *
 * Decision 0112.
 */
import { concatBytes, unreachable } from '../../../base/index.ts'
import type { Lower } from './lower.ts'
import type { Slot, Spill } from './spill.ts'

export type Content =
  | { readonly at: 'lower'; readonly path: string; readonly sizeBytes: number }
  | { readonly at: 'memory'; readonly buffer: Uint8Array; readonly sizeBytes: number }
  | { readonly at: 'spill'; readonly slot: Slot; readonly sizeBytes: number }

export const noContent: Content = { at: 'memory', buffer: new Uint8Array(), sizeBytes: 0 }

const DEFAULT_MEMORY_BYTES = 64 * 1024 * 1024
const COPY_BYTES = 1024 * 1024

export type ContentStore = {
  read(content: Content, into: Uint8Array, position: number): number
  whole(content: Content): Uint8Array
  /** Returns the new content; the one passed in is no longer used. A gap is filled with zeros. */
  write(content: Content, bytes: Uint8Array, position: number): Content
  resize(content: Content, sizeBytes: number): Content
  /** It has no reader any more. */
  release(content: Content): void
  memoryBytes(): number
}

export function createContentStore(
  lower: Lower,
  spill: Spill,
  limitBytes = DEFAULT_MEMORY_BYTES,
): ContentStore {
  let inMemory = 0

  const read = (content: Content, into: Uint8Array, position: number): number => {
    const length = Math.max(0, Math.min(into.byteLength, content.sizeBytes - position))
    const part = into.subarray(0, length)
    switch (content.at) {
      case 'lower':
        // A file of the lower file system may grow, or report that it is empty although it is not (as in
        // /proc).
        return lower.read(content.path, into, position)
      case 'memory':
        part.set(content.buffer.subarray(position, position + length))
        return length
      case 'spill':
        spill.read(content.slot, part, position)
        return length
      default:
        return unreachable(content)
    }
  }

  const release = (content: Content): void => {
    if (content.at === 'memory') inMemory -= content.buffer.byteLength
    else if (content.at === 'spill') spill.giveBack(content.slot)
  }

  /** The same first bytes, with space for that many. */
  const withRoom = (content: Content, sizeBytes: number, keepBytes: number): Content => {
    if (content.at === 'memory' && content.buffer.byteLength >= sizeBytes) return content
    if (content.at === 'spill' && content.slot.capacityBytes >= sizeBytes) return content
    const own = content.at === 'memory' ? content.buffer.byteLength : 0
    const roomy =
      content.at === 'memory' && own > 0
        ? Math.max(sizeBytes, Math.min(own * 2, own + COPY_BYTES * 16))
        : sizeBytes
    const next: Content =
      inMemory - own + roomy <= limitBytes
        ? inNewMemory(roomy)
        : { at: 'spill', slot: spill.take(sizeBytes), sizeBytes: 0 }
    const piece = new Uint8Array(Math.min(COPY_BYTES, keepBytes))
    for (let at = 0; at < keepBytes; ) {
      const got = read(content, piece.subarray(0, Math.min(piece.byteLength, keepBytes - at)), at)
      if (got === 0) break
      put(next, piece.subarray(0, got), at)
      at += got
    }
    release(content)
    return { ...next, sizeBytes: keepBytes }
  }

  const inNewMemory = (capacityBytes: number): Content => {
    inMemory += capacityBytes
    return { at: 'memory', buffer: new Uint8Array(capacityBytes), sizeBytes: 0 }
  }

  const put = (content: Content, bytes: Uint8Array, position: number): void => {
    if (content.at === 'memory') content.buffer.set(bytes, position)
    else if (content.at === 'spill') spill.write(content.slot, bytes, position)
  }

  const zero = (content: Content, from: number, to: number): void => {
    const zeros = new Uint8Array(Math.max(0, Math.min(COPY_BYTES, to - from)))
    for (let at = from; at < to; at += zeros.byteLength)
      put(content, zeros.subarray(0, Math.min(zeros.byteLength, to - at)), at)
  }

  const resize = (content: Content, sizeBytes: number): Content => {
    if (sizeBytes === 0) {
      release(content)
      return noContent
    }
    const kept = Math.min(content.sizeBytes, sizeBytes)
    const roomy = withRoom(content, sizeBytes, kept)
    // A file that was truncated and grown again must not show its old bytes: the rest is cleared when it
    // becomes visible.
    zero(roomy, kept, sizeBytes)
    return { ...roomy, sizeBytes }
  }

  return {
    read,
    whole(content) {
      if (content.at !== 'lower') {
        const bytes = new Uint8Array(content.sizeBytes)
        read(content, bytes, 0)
        return bytes
      }
      const parts: Uint8Array[] = []
      for (let at = 0, want = content.sizeBytes + 1; ; want = COPY_BYTES) {
        const part = new Uint8Array(want)
        const got = read(content, part, at)
        if (got > 0) parts.push(part.subarray(0, got))
        at += got
        if (got < want) return concatBytes(parts)
      }
    },
    write(content, bytes, position) {
      const end = position + bytes.byteLength
      const grown = position > content.sizeBytes ? resize(content, position) : content
      const roomy = withRoom(grown, Math.max(end, grown.sizeBytes), grown.sizeBytes)
      put(roomy, bytes, position)
      return { ...roomy, sizeBytes: Math.max(roomy.sizeBytes, end) }
    },
    resize,
    release,
    memoryBytes: () => inMemory,
  }
}
