/** Where the files of a run lie: what a recording puts into the header, and what a replay makes of it. */
import { type FilesOptions, placesHere } from '../../boundaries/files/files-of-session.ts'
import { hasFeature } from '../../tape/features.ts'
import type { TapeHeader } from '../../tape/index.ts'
import type { FilesSource } from './file-access.ts'

export type RecordedFiles = {
  /** Folders whose files have relative names on the tape; the working directory unless said otherwise. */
  readonly roots?: readonly string[]
  /** `overlay`: nothing that the program writes reaches the disk. */
  readonly source?: FilesSource
  /** Patterns of files that are left alone. */
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

/** The recorded places first: `process.cwd()` and `os.homedir()` name those in a replay. */
export function filesToReplay(header: TapeHeader, isForeign = false): FilesOptions {
  const here = placesHere()
  const recorded = { roots: header.roots ?? here.roots, home: header.home ?? null, temp: header.temp ?? null }
  const captured = isForeign || header.boundaries?.filesystem?.mode === 'record'
  const places = [recorded, { ...here, roots: [...here.roots, ...recorded.roots.slice(1)] }]
  return {
    places,
    ignore: header.ignore ?? [],
    captured,
    optionsCount: hasFeature(header, 'optionsCount'),
    ordersUncaptured: hasFeature(header, 'orderedFileCalls'),
  }
}
