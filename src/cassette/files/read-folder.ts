/**
 * The files of a cassette folder as bytes. Names the file in every failure; a folder, a device or a missing
 * path is never a crash.
 */
import { join } from 'node:path'
import { fromSystemError, RepriseError, systemCode } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { readPlainFile } from '../../real/plain-file.ts'
import { FILES, type FileName } from './names.ts'

export type CassetteFiles = {
  readonly folder: string
  /** Null where the file is not there. */
  readonly bytes: (name: FileName) => Uint8Array | null
  readonly names: () => readonly string[]
}

export function cassetteFiles(folder: string): CassetteFiles {
  return {
    folder,
    bytes(name) {
      const path = join(folder, name)
      let bytes: Uint8Array | null
      try {
        bytes = readPlainFile(path)
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return null
        throw fromSystemError(error, 'read', path)
      }
      if (bytes !== null) return bytes
      throw new RepriseError('cassette-file-invalid', `cassette: ${name} is no plain file`, {
        details: { file: name },
        hint: 'a cassette holds files only, no links',
      })
    },
    names() {
      try {
        return fs.readdirSync(folder).sort()
      } catch (error) {
        throw fromSystemError(error, 'list', folder)
      }
    },
  }
}

/** True for a folder that holds a manifest, or any stream file of a recording that has not closed. */
export function isCassette(path: string): boolean {
  try {
    if (!fs.statSync(path).isDirectory()) return false
    return (
      fs.existsSync(join(path, FILES.manifest)) ||
      (fs.existsSync(join(path, FILES.raw)) && fs.existsSync(join(path, FILES.output)))
    )
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR' || systemCode(error) === 'EACCES')
      return false
    throw fromSystemError(error, 'read', path)
  }
}

export function previousFolder(folder: string): string {
  return `${trimSlash(folder)}.previous`
}

export function trimSlash(folder: string): string {
  return folder.length > 1 ? folder.replace(/\/+$/, '') : folder
}

/**
 * The folder to read for `folder`: itself, or `<folder>.previous` where a replacement moved the old one away
 * and was stopped before it put the new one in its place.
 */
export function whereCassetteIs(folder: string): string {
  if (fs.existsSync(folder)) return folder
  const previous = previousFolder(folder)
  if (fs.existsSync(join(previous, FILES.manifest))) return previous
  throw new RepriseError('not-found', `no cassette at ${folder}`, {
    details: { path: folder },
    hint: 'check the path',
  })
}
