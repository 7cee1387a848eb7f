/**
 * One name for each file, whatever path a program uses, and the same on every machine: relative inside the
 * first root, `$ROOT1/…` inside a further one, `$HOME/…`, `$TMP/…`, else absolute. A replay has two sets of
 * places, those of the recording and those of this machine, and treats both as the same: `process.cwd()`
 * returns the recorded folder, `import.meta.dirname` the current one.
 *
 * Names are compared as they are written: `.` and `..` are resolved, symbolic links are not.
 */
import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isUint8Array } from 'node:util/types'

export type Places = {
  readonly roots: readonly string[]
  readonly home: string | null
  readonly temp: string | null
}

export type NamedFile = {
  /** As the program named it. */
  readonly given: string
  readonly absolute: string
  readonly portable: string
}

export type PortablePaths = {
  /** The portable name of an absolute path. */
  portable(absolute: string): string
  /** Whether this is the first root, without another place inside: its files have relative names. */
  isPlainRoot(folder: string): boolean
  /** A path for the program: below the same places as `like`, which the program passed. */
  local(portable: string, like: string): string
}

/**
 * A path as a program may pass it; null for a value that cannot name a file: Node has the right error for
 * that.
 */
export function pathText(value: unknown): string | null {
  const text =
    typeof value === 'string' ? value : isUint8Array(value) ? Buffer.from(value).toString() : urlPath(value)
  return text === null || text === '' || text.includes('\0') ? null : text
}

function urlPath(value: unknown): string | null {
  if (!isUrl(value) || value.protocol !== 'file:') return null
  try {
    return fileURLToPath(value)
  } catch {
    // A host, or an encoded slash: the original rejects it with its own error.
    return null
  }
}

/** As Node decides it: also a URL of another context, and an object with its properties. */
export function isUrl(value: unknown): value is URL {
  if (typeof value !== 'object' || value === null) return false
  const property = (name: string): unknown => Reflect.get(value, name)
  return (
    Boolean(property('href')) &&
    Boolean(property('protocol')) &&
    property('auth') === undefined &&
    property('path') === undefined
  )
}

type Place = { readonly folder: string; readonly name: string }

/** By default, paths lead to the first set of places. */
export function portablePaths(sets: readonly Places[]): PortablePaths {
  const bySet = sets.map(placesOf)
  const all = bySet.flat().sort((a, b) => b.folder.length - a.folder.length)
  const plainRoots = new Set(
    all
      .filter(
        ({ folder, name }) =>
          name === '' && !all.some((other) => other.folder !== folder && isInside(other.folder, folder)),
      )
      .map(({ folder }) => folder),
  )
  return {
    isPlainRoot: (folder) => plainRoots.has(folder),
    portable(absolute) {
      const place = all.find(({ folder }) => isInside(absolute, folder))
      if (place === undefined) return absolute
      const rest = absolute.slice(place.folder === '/' ? 1 : place.folder.length + 1)
      if (place.name === '') return rest === '' ? '.' : rest
      return rest === '' ? place.name : `${place.name}/${rest}`
    },
    local(portable, like) {
      const nearest = all.find(({ folder }) => isInside(like, folder))
      const places = bySet.find((set) => nearest !== undefined && set.includes(nearest)) ?? bySet[0] ?? []
      if (isAbsolute(portable)) return portable
      const place = places.find(
        ({ name }) => name !== '' && (portable === name || portable.startsWith(`${name}/`)),
      )
      if (place !== undefined) return join(place.folder, portable.slice(place.name.length))
      const root = places.find(({ name }) => name === '')
      return root === undefined ? portable : resolve(root.folder, portable)
    },
  }
}

function placesOf({ roots, home, temp }: Places): Place[] {
  const named: Place[] = roots.map((folder, index) => ({
    folder: resolve(folder),
    name: index === 0 ? '' : `$ROOT${index}`,
  }))
  const taken = (folder: string): boolean => named.some((place) => place.folder === folder)
  if (temp !== null && !taken(resolve(temp))) named.push({ folder: resolve(temp), name: '$TMP' })
  if (home !== null && home !== '/' && !taken(resolve(home)))
    named.push({ folder: resolve(home), name: '$HOME' })
  return named
}

function isInside(path: string, folder: string): boolean {
  return path === folder || (path.startsWith(folder) && (folder === '/' || path[folder.length] === '/'))
}
