/**
 * A tape as the viewer shows it: its index, and readers on both. With `follow`, the index grows with the
 * tape: what was appended is read every 300 ms, and a tape that was replaced or cut is indexed again.
 */
import { fromSystemError, isRepriseError } from '../../errors/index.ts'
import { realClearInterval, realSetInterval } from '../../real/clock.ts'
import { fs } from '../../real/fs.ts'
import { openFile } from '../../tape/reader.ts'
import { type DiskFiles, openDiskFiles } from '../index/disk-files.ts'
import { createIndexBuilder, type IndexBuilder } from '../index/index-builder.ts'
import {
  borrowTapeIndex,
  dropFolder,
  openTapeIndex,
  type Progress,
  partialIndexFolder,
  tapeFacts,
} from '../index/index-folder.ts'
import type { IndexMetadata } from '../layout/metadata.ts'
import type { FollowEvent } from '../protocol/source.ts'
import { createTapeView, type TapeView } from '../source/tape-view.ts'

export type TapeItem = {
  readonly path: string
  view(): TapeView
  metadata(): IndexMetadata
  /** Where the files of the index are. */
  folder(): string
  close(): void
}

export type TapeItemOptions = {
  readonly item: string
  readonly cassetteItem: (name: string) => string | null
  readonly onProgress?: Progress
}

export async function openTapeItem(
  path: string,
  { cassetteItem, onProgress }: TapeItemOptions,
): Promise<TapeItem> {
  const index = await openTapeIndex(path, {
    cassetteItem,
    ...(onProgress === undefined ? {} : { onProgress }),
  })
  const files = openDiskFiles(path, index.folder)
  const view = createTapeView(files, index.metadata, cassetteItem)
  return {
    path,
    view: () => view,
    metadata: () => index.metadata,
    folder: () => index.folder,
    close: () => files.close(),
  }
}

/** A tape for a command that shows it once and leaves no index behind. */
export async function borrowTapeItem(path: string): Promise<TapeItem> {
  const { folder, metadata, drop } = await borrowTapeIndex(path)
  const files = openDiskFiles(path, folder)
  const view = createTapeView(files, metadata, () => null)
  const close = (): void => {
    files.close()
    drop()
  }
  return { path, view: () => view, metadata: () => metadata, folder: () => folder, close }
}

const POLL_MS = 300
const CHUNK_BYTES = 256 * 1024

/**
 * Follows a tape that is being recorded. `report` gets every change. The folder of the index is removed at
 * the end.
 */
export async function followTapeItem(
  path: string,
  { item, cassetteItem }: TapeItemOptions,
  report: (event: FollowEvent) => void,
): Promise<TapeItem> {
  const folder = await partialIndexFolder(path)
  let state = begin(path, folder, cassetteItem)
  let lost = false
  /** True while no state is open: the file was replaced by one that cannot be read. */
  let ended = false

  const poll = (): void => {
    if (lost) return
    try {
      const { size, ino } = fs.statSync(path)
      if (ino !== state.inode || size < state.offset) {
        end(state)
        ended = true
        dropFolder(folder)
        fs.mkdirSync(folder, { mode: 0o700 })
        state = begin(path, folder, cassetteItem)
        ended = false
        report({ type: 'replaced', item })
        return
      }
      if (size === state.offset || state.builder.sealed) return
      const fromRow = state.builder.rows
      state = grow(path, folder, cassetteItem, state)
      if (state.builder.rows === fromRow) return
      report({ type: 'grown', item, rows: state.builder.rows, fromRow, endMs: state.metadata.endMs })
      if (state.builder.sealed) report({ type: 'sealed', item })
    } catch (error) {
      lost = true
      report({ type: 'lost', item, message: isRepriseError(error) ? error.message : String(error) })
    }
  }
  const timer = realSetInterval(poll, POLL_MS)
  return {
    path,
    view: () => state.view,
    metadata: () => state.metadata,
    folder: () => folder,
    close() {
      realClearInterval(timer)
      if (!ended) end(state)
      dropFolder(folder)
    },
  }
}

type Following = {
  readonly builder: IndexBuilder
  readonly descriptor: number
  readonly inode: number
  readonly offset: number
  readonly files: DiskFiles
  readonly metadata: IndexMetadata
  readonly view: TapeView
}

function begin(path: string, folder: string, cassetteItem: (name: string) => string | null): Following {
  const descriptor = openFile(path)
  const builder = createIndexBuilder(path, folder, cassetteItem)
  const offset = readOn(builder, descriptor, 0, path)
  const metadata = builder.finish(tapeFacts(path))
  const files = openDiskFiles(path, folder)
  const { ino } = fs.fstatSync(descriptor)
  return {
    builder,
    descriptor,
    inode: ino,
    offset,
    files,
    metadata,
    view: createTapeView(files, metadata, cassetteItem),
  }
}

function grow(
  path: string,
  _folder: string,
  cassetteItem: (name: string) => string | null,
  state: Following,
): Following {
  const { builder, descriptor, files } = state
  builder.resume()
  const offset = readOn(builder, descriptor, state.offset, path)
  const metadata = builder.finish(tapeFacts(path))
  return { ...state, offset, metadata, view: createTapeView(files, metadata, cassetteItem) }
}

function end({ builder, descriptor, files }: Following): void {
  builder.close()
  files.close()
  fs.closeSync(descriptor)
}

/** Gives the builder everything from `offset` on; returns the new offset. */
function readOn(builder: IndexBuilder, descriptor: number, offset: number, path: string): number {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  for (let at = offset; ; ) {
    const read = readSome(descriptor, buffer, at, path)
    if (read === 0) return at
    builder.push(buffer.subarray(0, read))
    at += read
  }
}

function readSome(descriptor: number, buffer: Buffer, at: number, path: string): number {
  try {
    return fs.readSync(descriptor, buffer, 0, buffer.length, at)
  } catch (error) {
    throw fromSystemError(error, 'read', path)
  }
}
