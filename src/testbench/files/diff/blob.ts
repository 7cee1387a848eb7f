/** A file or a link as git sees it: a mode of three possible ones, and bytes. */
import { textOrNull, utf8 } from '../../../base/index.ts'
import { gitBlobName } from '../../../real/git-object.ts'
import type { FileEntry } from './file-tree.ts'

export type Blob = {
  readonly mode: '100644' | '100755' | '120000'
  readonly bytes: Uint8Array
  readonly name: string
  /** Null if it is binary. */
  readonly text: string | null
}

/** Larger texts are sent as binary: a diff of their lines would not help a reader. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024

export function blobOf(entry: FileEntry | undefined): Blob | null {
  if (entry === undefined || entry.kind === 'folder') return null
  if (entry.kind === 'symlink') return blob('120000', utf8(entry.target))
  return blob((entry.mode & 0o100) === 0 ? '100644' : '100755', entry.bytes)
}

function blob(mode: Blob['mode'], bytes: Uint8Array): Blob {
  return { mode, bytes, name: gitBlobName(bytes), text: asText(bytes) }
}

function asText(bytes: Uint8Array): string | null {
  if (bytes.byteLength > MAX_TEXT_BYTES || bytes.includes(0)) return null
  return textOrNull(bytes)
}

export function isLink(blob: Blob): boolean {
  return blob.mode === '120000'
}
