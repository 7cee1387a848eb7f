/**
 * `index.json`: what the other files of an index mean, and everything about the tape that fits into one
 * document.
 */
import type { TapeOverview } from '../protocol/overview.ts'
import type { TrigramSegment } from './trigrams.ts'

export const INDEX_FORMAT = 'reprise-viewer-index'
/** An index of another version is built again. */
export const INDEX_VERSION = 2

export const INDEX_FILES = {
  metadata: 'index.json',
  rows: 'rows.bin',
  blocks: 'blocks.bin',
  kinds: 'kinds.bin',
  trigrams: 'trigrams.bin',
} as const

/** `<inode> <time of the last status change, in ns>`: a program cannot choose these for a file. */
export type FileIdentities = { readonly [name: string]: string }

export type IndexMetadata = {
  readonly format: typeof INDEX_FORMAT
  readonly version: number
  /** The tape that was indexed. An index is stale if size or time of change differ. */
  readonly tape: { readonly sizeBytes: number; readonly changedMs: number }
  readonly rows: number
  readonly blocks: number
  /** Times of the first and the last row. */
  readonly startMs: number
  readonly endMs: number
  /** Names of the kinds, by their numbers. */
  readonly kinds: readonly string[]
  /**
   * Segments of `trigrams.bin`. Blocks after the last segment are not indexed: a search looks into all of
   * them.
   */
  readonly segments: readonly TrigramSegment[]
  /** True if `seq` of every record is the number of its row. */
  readonly seqIsRow: boolean
  readonly overview: TapeOverview
  /** Which files on this disk the index is made of, by name. An index on disk has it. */
  readonly files?: FileIdentities
}
