/**
 * The files of an indexed tape on disk, in ranges: what the server and the terminal read through. Only names
 * of the index, `tape` and `cas/<hash>` lead anywhere; links are not followed in the index and the CAS.
 */
import { isContentHash } from '../../base/index.ts'
import { fromSystemError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { casFolder, hasCasEntry } from '../../tape/cas.ts'
import { openFile } from '../../tape/reader.ts'
import { INDEX_FILES } from '../layout/metadata.ts'
import type { RangeAccess } from '../protocol/transport.ts'

export type DiskFiles = RangeAccess & { close(): void }

/**
 * Keeps the tape and the index open, so that a tape which is replaced meanwhile is still the one that was
 * indexed.
 */
export function openDiskFiles(tape: string, indexFolder: string): DiskFiles {
  const descriptors = new Map<string, number>([['tape', openFile(tape)]])
  const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK
  for (const name of [INDEX_FILES.rows, INDEX_FILES.blocks, INDEX_FILES.kinds, INDEX_FILES.trigrams]) {
    const path = `${indexFolder}/${name}`
    try {
      descriptors.set(name, fs.openSync(path, flags))
    } catch (error) {
      throw fromSystemError(error, 'read', path)
    }
  }
  const withDescriptor = <T>(name: string, use: (descriptor: number) => T): T | null => {
    const open = descriptors.get(name)
    if (open !== undefined) return use(open)
    const hash = name.startsWith('cas/') ? name.slice(4) : ''
    if (!isContentHash(hash) || !hasCasEntry(tape, hash)) return null
    const descriptor = fs.openSync(`${casFolder(tape)}/${hash}`, flags)
    try {
      return use(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
  }
  return {
    size: async (name) => withDescriptor(name, (descriptor) => fs.fstatSync(descriptor).size),
    read: async (name, from, to) =>
      withDescriptor(name, (descriptor) => readRange(descriptor, from, to)) ?? new Uint8Array(),
    close() {
      for (const descriptor of descriptors.values()) fs.closeSync(descriptor)
      descriptors.clear()
    },
  }
}

function readRange(descriptor: number, from: number, to: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(to, fs.fstatSync(descriptor).size) - from))
  let filled = 0
  while (filled < bytes.length) {
    const read = fs.readSync(descriptor, bytes, filled, bytes.length - filled, from + filled)
    if (read === 0) break
    filled += read
  }
  return bytes.subarray(0, filled)
}
