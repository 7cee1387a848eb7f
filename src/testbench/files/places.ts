/** Where the files of a run are: what a recording writes into the header, and how a replay uses it. */
import { type FilesOptions, placesHere } from '../../boundaries/files/files-of-session.ts'
import { hasFeature } from '../../tape/features.ts'
import type { TapeHeader } from '../../tape/index.ts'
import { eitherPlaces, type NamedPlaces, resolveHeader } from '../../tape/root-names.ts'
import type { FilesSource } from './file-access.ts'

export type RecordedFiles = {
  /** Folders whose files have relative names on the tape; the working directory by default. */
  readonly roots?: readonly string[]
  /** `overlay`: nothing that the program writes reaches the disk. */
  readonly source?: FilesSource
  /** Patterns of files that are not captured. */
  readonly ignore?: readonly string[]
}

export function filesToRecord({ roots = [], ignore = [] }: RecordedFiles = {}): FilesOptions {
  const here = placesHere()
  return { places: [{ ...here, roots: roots.length === 0 ? here.roots : roots }], ignore }
}

/** Folders whose changes are reported. */
export function rootsOf({ places }: FilesOptions): readonly string[] {
  return places[0]?.roots ?? []
}

export function headerPlaces({
  places,
  ignore = [],
}: FilesOptions): Pick<TapeHeader, 'roots' | 'home' | 'temp' | 'ignore'> {
  const [{ roots, home, temp } = placesHere()] = places
  return {
    roots,
    ...(home === null ? {} : { home }),
    ...(temp === null ? {} : { temp }),
    ...(ignore.length === 0 ? {} : { ignore }),
  }
}

/** The places of a recording that the header of its tape has names for. */
export function namedPlaces({ places }: FilesOptions): NamedPlaces {
  const [{ roots, home, temp } = placesHere()] = places
  return { root: roots[0] ?? null, home, temp }
}

/** The places of this process. */
export function namedPlacesHere(): NamedPlaces {
  return namedPlaces({ places: [placesHere()] })
}

/**
 * The header with the folders of the recording; a folder that the tape does not have is that of this process.
 */
export function recordedHeader(named: TapeHeader, known: NamedPlaces): TapeHeader {
  return resolveHeader(named, eitherPlaces(known, namedPlacesHere()))
}

/**
 * The recorded places first: `process.cwd()` and `os.homedir()` return those in a replay. `known` are those
 * that the tape has; for the others, those of this process are used.
 */
export function filesToReplay(named: TapeHeader, known: NamedPlaces, isForeign = false): FilesOptions {
  const here = placesHere()
  const header = recordedHeader(named, known)
  const recorded = { roots: header.roots ?? here.roots, home: header.home ?? null, temp: header.temp ?? null }
  const captured = isForeign || header.boundaries?.filesystem?.mode === 'record'
  const places = [recorded, { ...here, roots: [...here.roots, ...recorded.roots.slice(1)] }]
  return {
    places,
    ignore: header.ignore ?? [],
    captured,
    optionsCount: hasFeature(header, 'optionsCount'),
    ordersUncaptured: hasFeature(header, 'orderedFileCalls'),
    positionsCount: hasFeature(header, 'readPositions'),
    copiesWhole: hasFeature(header, 'wholeCopies'),
  }
}
