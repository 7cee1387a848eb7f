/** How the readers reach the files of a tape. Names: the files of the index, `tape`, and `cas/<hash>`. */
import type { RangeAccess } from '../protocol/transport.ts'

export type TapeFiles = RangeAccess

/** Files below a folder of a bundle or an export. */
export function inFolder(files: RangeAccess, folder: string): TapeFiles {
  return {
    size: (name) => files.size(`${folder}/${name}`),
    read: (name, from, to) => files.read(`${folder}/${name}`, from, to),
  }
}

export const TAPE_FILE = 'tape'

export function casFile(hash: string): string {
  return `cas/${hash}`
}

/** Reads a file whole, in one range. Null if it is not there. */
export async function readWhole(files: RangeAccess, name: string): Promise<Uint8Array | null> {
  const size = await files.size(name)
  return size === null ? null : await files.read(name, 0, size)
}
