/**
 * Where the index of a tape is: `<tape>.index/` next to it, mode 0700, or a folder in the user's cache if
 * that place cannot be written.
 *
 * An index is made in a folder of its own and renamed into place, so a reader never meets half of one. It is
 * stale when size or time of change of the tape differ, or when another version of Reprise made it; then it
 * is built again. So is an index that came with the tape from elsewhere: it could show records that the tape
 * does not have.
 */
import { resolve } from 'node:path'
import { contentHash, jsonOf, utf8 } from '../../base/index.ts'
import { fromSystemError, isRepriseError, RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { readPlainFile } from '../../real/plain-file.ts'
import { realEnv, realHomedir, realPid, realTmpdir, realUid } from '../../real/process.ts'
import { openFile, readChunks } from '../../tape/reader.ts'
import {
  type FileIdentities,
  INDEX_FILES,
  INDEX_FORMAT,
  INDEX_VERSION,
  type IndexMetadata,
} from '../layout/metadata.ts'
import { createIndexBuilder } from './index-builder.ts'

export type TapeIndex = { readonly folder: string; readonly metadata: IndexMetadata }

/** Called now and then while an index is built, with the share that is done. */
export type Progress = (share: number) => void

export type IndexOptions = {
  readonly cassetteItem?: (name: string) => string | null
  readonly onProgress?: Progress
}

/** The index of the tape, built if there is none that fits. */
export async function openTapeIndex(path: string, options: IndexOptions = {}): Promise<TapeIndex> {
  const tape = tapeFacts(path)
  const places = indexPlaces(path)
  for (const folder of places) {
    const metadata = readMetadata(folder)
    if (metadata !== null && isFresh(metadata, tape)) return { folder, metadata }
  }
  return await inFirstWritable(places, (folder) => buildInto(path, folder, tape, options))
}

/**
 * The index that is there, or one in a temporary folder: for a command that must leave nothing behind. `drop`
 * removes it.
 */
export async function borrowTapeIndex(path: string): Promise<TapeIndex & { drop(): void }> {
  const tape = tapeFacts(path)
  for (const folder of indexPlaces(path)) {
    const metadata = readMetadata(folder)
    if (metadata !== null && isFresh(metadata, tape)) return { folder, metadata, drop: () => undefined }
  }
  const folder = fs.mkdtempSync(`${realTmpdir()}/reprise-index-`)
  try {
    return { folder, metadata: fill(path, folder, tape, {}), drop: () => dropFolder(folder) }
  } catch (error) {
    dropFolder(folder)
    throw error
  }
}

/**
 * A folder of our own for an index that is not finished, in the first place that can be written. Remove it
 * with `dropFolder`.
 */
export async function partialIndexFolder(path: string): Promise<string> {
  return await inFirstWritable(indexPlaces(path), async (folder) => makePartial(folder))
}

export function dropFolder(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true })
}

export function tapeFacts(path: string): IndexMetadata['tape'] {
  const descriptor = openFile(path)
  try {
    const { size, mtimeMs } = fs.fstatSync(descriptor)
    return { sizeBytes: size, changedMs: mtimeMs }
  } finally {
    fs.closeSync(descriptor)
  }
}

function isFresh(metadata: IndexMetadata, tape: IndexMetadata['tape']): boolean {
  return metadata.tape.sizeBytes === tape.sizeBytes && metadata.tape.changedMs === tape.changedMs
}

/**
 * Places for an index. One that holds anything else than an index is left alone: nothing of the user's is
 * ever removed.
 */
function indexPlaces(path: string): readonly string[] {
  const cache = realEnv.XDG_CACHE_HOME || `${realHomedir()}/.cache`
  const name = contentHash(utf8(resolve(path))).slice(0, 32)
  return [`${path}.index`, `${cache}/reprise/viewer/${name}.index`].filter(isFree)
}

const OWN_FILES: ReadonlySet<string> = new Set(Object.values(INDEX_FILES))

function isFree(folder: string): boolean {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) return true
  return stat.isDirectory() && fs.readdirSync(folder).every((name) => OWN_FILES.has(name))
}

async function inFirstWritable<T>(
  places: readonly string[],
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const [first, ...others] = places
  if (first === undefined) {
    throw new RepriseError('out-exists', 'every place for the index of this tape holds something else', {
      hint: 'move the folder <tape>.index away',
    })
  }
  try {
    return await use(first)
  } catch (error) {
    if (others.length === 0 || !isReadOnly(error)) throw error
    return await inFirstWritable(others, use)
  }
}

function isReadOnly(error: unknown): boolean {
  const cause = isRepriseError(error) && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
}

async function buildInto(
  path: string,
  folder: string,
  tape: IndexMetadata['tape'],
  options: IndexOptions,
): Promise<TapeIndex> {
  const partial = makePartial(folder)
  try {
    const metadata = fill(path, partial, tape, options)
    writeMetadata(partial, { ...metadata, files: identitiesOf(partial) })
    moveIntoPlace(partial, folder)
    return { folder, metadata }
  } catch (error) {
    dropFolder(partial)
    throw isRepriseError(error) ? error : fromSystemError(error, 'write', folder)
  }
}

/** Another viewer may put its own index there at the same moment: then ours goes over it. */
function moveIntoPlace(partial: string, folder: string): void {
  for (let attempt = 0; ; attempt += 1) {
    fs.rmSync(folder, { recursive: true, force: true })
    try {
      fs.renameSync(partial, folder)
      return
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null
      if (attempt === MAX_ATTEMPTS || (code !== 'ENOTEMPTY' && code !== 'EEXIST')) throw error
    }
  }
}

const MAX_ATTEMPTS = 10

function fill(
  path: string,
  folder: string,
  tape: IndexMetadata['tape'],
  { cassetteItem, onProgress }: IndexOptions,
): IndexMetadata {
  const builder = createIndexBuilder(path, folder, cassetteItem)
  try {
    let read = 0
    for (const chunk of readChunks(path, tape.sizeBytes)) {
      builder.push(chunk)
      read += chunk.length
      onProgress?.(read / tape.sizeBytes)
    }
    builder.end()
    return builder.finish(tape)
  } finally {
    builder.close()
  }
}

function writeMetadata(folder: string, metadata: IndexMetadata): void {
  fs.writeFileSync(`${folder}/${INDEX_FILES.metadata}`, JSON.stringify(metadata), { mode: 0o600 })
}

/** How many were begun in this process: one tape may be opened twice. */
let partials = 0

function makePartial(folder: string): string {
  partials += 1
  const partial = `${folder}.partial-${realPid}-${partials}`
  try {
    fs.rmSync(partial, { recursive: true, force: true })
    fs.mkdirSync(partial, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fromSystemError(error, 'create', partial)
  }
  return partial
}

const DATA_FILES = [INDEX_FILES.rows, INDEX_FILES.blocks, INDEX_FILES.kinds, INDEX_FILES.trigrams] as const

/** Of each file that is a plain file of this user. */
function identitiesOf(folder: string): FileIdentities {
  const facts = DATA_FILES.flatMap((name) => {
    const stat = fs.lstatSync(`${folder}/${name}`, { throwIfNoEntry: false, bigint: true })
    const isOurs = stat?.isFile() === true && (realUid === null || Number(stat.uid) === realUid)
    return isOurs ? [[name, `${stat.ino} ${stat.ctimeNs}`]] : []
  })
  return Object.fromEntries(facts)
}

/** Null where there is no index, or none that was made here. */
function readMetadata(folder: string): IndexMetadata | null {
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return null
  const bytes = plainBytes(`${folder}/${INDEX_FILES.metadata}`)
  const value = bytes === null ? null : jsonOf(Buffer.from(bytes).toString('utf8'))
  if (!isMetadata(value) || !areFiles(folder, value.files)) return null
  const { files: _checked, ...metadata } = value
  return metadata
}

function plainBytes(file: string): Uint8Array | null {
  try {
    return readPlainFile(file)
  } catch {
    // It is missing or cannot be read: the index is built again.
    return null
  }
}

function areFiles(folder: string, files: unknown): boolean {
  const here = Object.entries(identitiesOf(folder))
  return (
    typeof files === 'object' &&
    files !== null &&
    here.length === DATA_FILES.length &&
    here.every(([name, identity]) => Reflect.get(files, name) === identity)
  )
}

function isMetadata(value: unknown): value is IndexMetadata {
  if (typeof value !== 'object' || value === null || !('format' in value) || !('version' in value))
    return false
  return value.format === INDEX_FORMAT && value.version === INDEX_VERSION && 'overview' in value
}
