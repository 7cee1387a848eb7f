/**
 * Where a cassette may be put, and putting it there: one rename. An existing folder is refused; with `force`
 * it is moved to `<out>.previous` first, where `open` finds it if the second rename never came. A cassette of
 * a newer version, and a folder that is no cassette, are never moved away.
 */
import { dirname, join } from 'node:path'
import { faultPoint, isObject } from '../../base/index.ts'
import { fromSystemError, isRepriseError, RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { readPlainFile } from '../../real/plain-file.ts'
import { firstValue, jsonText } from '../codec/index.ts'
import { CASSETTE_VERSION, FILES } from './names.ts'
import { previousFolder, trimSlash } from './read-folder.ts'
import { syncPath } from './write-folder.ts'

/** Asked before anything is recorded, and again before the rename. */
export function checkPlace(out: string, force: boolean): void {
  const stat = fs.lstatSync(trimSlash(out), { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isDirectory())
    throw new RepriseError('out-exists', `${out} is there already, and is no folder`, {
      details: { path: out },
      hint: 'choose another name',
    })
  const version = versionThere(out)
  if (version !== null && version > CASSETTE_VERSION) {
    throw new RepriseError(
      'cassette-version',
      `cassette: refuse to overwrite newer schema version ${version}`,
      {
        details: { path: out, version },
        hint: 'choose another name, or use a newer Reprise',
      },
    )
  }
  if (!force) throw exists(out, 'choose another name, or use --force to replace it')
  if (version === null && fs.readdirSync(out).length > 0)
    throw exists(out, 'it is no cassette: choose another name')
  const previous = previousFolder(out)
  if (fs.existsSync(previous) && versionThere(previous) === null)
    throw exists(previous, 'it is no cassette: move it away first')
}

function exists(path: string, hint: string): RepriseError {
  return new RepriseError('out-exists', `${path} is there already`, { details: { path }, hint })
}

/** The version in the manifest there; null where there is no manifest, 0 where it cannot be read. */
function versionThere(folder: string): number | null {
  const path = join(folder, FILES.manifest)
  if (!fs.existsSync(path)) return null
  try {
    const value = firstValue(jsonText(readPlainFile(path) ?? new Uint8Array()))
    return isObject(value) && typeof value.version === 'number' ? value.version : 0
  } catch (error) {
    if (error instanceof SyntaxError || !isRepriseError(error)) return 0
    throw error
  }
}

export function moveIntoPlace(partial: string, out: string, force: boolean): void {
  checkPlace(out, force)
  const target = trimSlash(out)
  try {
    if (fs.existsSync(target)) {
      const previous = previousFolder(out)
      fs.rmSync(previous, { recursive: true, force: true })
      faultPoint('cassette:move-away')
      fs.renameSync(target, previous)
    }
    faultPoint('cassette:move-in')
    fs.renameSync(partial, target)
    syncPath(dirname(target))
  } catch (error) {
    throw isRepriseError(error) ? error : fromSystemError(error, 'move the recording to', out)
  }
}
