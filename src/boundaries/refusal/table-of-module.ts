/**
 * The table of coverage.ts in the form that a session needs: for each module of Node the objects that contain
 * its functions, and which of their names may be called.
 */
import { coverage, words } from '../coverage.ts'
import type { Place } from '../coverage-place.ts'
import { boundaryNames, type CrossingName } from '../names.ts'

export type Holder = {
  readonly place: string
  /** The path from the exports of the module to the object; `#` at the end for the prototype. */
  readonly path: readonly string[]
  /** Captured, guarded or harmless. Any other function is refused. */
  readonly cleared: ReadonlySet<string>
  /** Listed as refused. */
  readonly refused: readonly string[]
  /** The boundary of a refused name; a name that the table does not list belongs to the process. */
  boundaryOf(name: string): CrossingName
}

/**
 * Nodes whose names are all in the table, by major version: up to this minor version. A test enumerates them.
 * In such a Node only the names that are listed as refused are checked, which takes a tenth of the time; in
 * any other every name is.
 */
export const enumeratedNodes: Readonly<Record<string, number>> = { 20: 20, 22: 23, 24: 21, 26: 10 }

/** `v22.13.0`. */
export function isEnumerated(version: string): boolean {
  const [major = '', minor = ''] = version.slice(1).split('.')
  return Number(minor) <= (enumeratedNodes[major] ?? -1)
}

/** Modules that export an object of another one. */
const SAME_OBJECT: Readonly<Record<string, string>> = {
  'dns/promises': 'node:dns.promises',
  'readline/promises': 'node:readline.promises',
  'stream/promises': 'node:stream.promises',
  'assert/strict': 'node:assert.strict',
  'path/posix': 'node:path',
  'path/win32': 'node:path.win32',
  'util/types': 'node:util.types',
  sys: 'node:util',
  _stream_duplex: 'node:stream.Duplex',
  _stream_passthrough: 'node:stream.PassThrough',
  _stream_readable: 'node:stream.Readable',
  _stream_transform: 'node:stream.Transform',
  _stream_writable: 'node:stream.Writable',
}

let byModule: ReadonlyMap<string, readonly Place[]> | null = null

/**
 * Null for a module that the table does not list. `onlyRefused` skips objects of which nothing is refused.
 */
export function holdersOf(module: string, onlyRefused: boolean): readonly Holder[] | null {
  if (onlyRefused) {
    const places = coverage.filter(
      ({ place, refused }) => refused !== undefined && moduleOf(place) === module,
    )
    return places.map((place) => holder(place, pathOf(place.place)))
  }
  byModule ??= placesByModule()
  const alias = SAME_OBJECT[module]
  if (alias !== undefined) return aliasHolders(alias)
  return byModule.get(module)?.map((place) => holder(place, pathOf(place.place))) ?? null
}

export function modulesWithRefused(): string[] {
  return coverage.flatMap(({ place, refused }) => (refused === undefined ? [] : [moduleOf(place)]))
}

/** The object itself, and the classes in it. */
function aliasHolders(alias: string): Holder[] {
  const length = pathOf(alias).length
  const places = byModule?.get(moduleOf(alias)) ?? []
  return places.flatMap((place) => {
    if (place.place !== alias && !place.place.startsWith(`${alias}.`)) return []
    return [holder(place, pathOf(place.place).slice(length))]
  })
}

/** For modules whose names are all values: the table lists none of them, and nothing is refused. */
export const VALUES_ONLY: ReadonlySet<string> = new Set(['constants', 'process', 'test/mock_loader'])

function placesByModule(): Map<string, Place[]> {
  const found = new Map<string, Place[]>()
  for (const place of coverage) {
    if (!place.place.startsWith('node:') && !place.place.startsWith('process')) continue
    const module = moduleOf(place.place)
    const known = found.get(module)
    if (known === undefined) found.set(module, [place])
    else known.push(place)
  }
  return found
}

/** No name of a module has a dot in it. */
function moduleOf(place: string): string {
  const from = place.startsWith('node:') ? 5 : 0
  const dot = place.indexOf('.', from)
  return dot < 0 ? place.slice(from) : place.slice(from, dot)
}

function pathOf(place: string): string[] {
  return place.split('.').slice(1)
}

const crossings: readonly CrossingName[] = [...boundaryNames, 'offthread']

/** Runs at every start, for every module that is loaded by then. */
function holder({ refused, ...cells }: Place, path: readonly string[]): Holder {
  let cleared: ReadonlySet<string> | null = null
  return {
    place: cells.place,
    path,
    // A getter: in a Node whose names are all in the table nothing asks for it.
    get cleared() {
      cleared ??= clearedIn(cells)
      return cleared
    },
    refused: Object.values(refused ?? {}).flatMap(words),
    boundaryOf: (name) => crossings.find((each) => words(refused?.[each] ?? '').includes(name)) ?? 'process',
  }
}

function clearedIn({ captured, guarded, harmless, notCaptured, pure }: Place): ReadonlySet<string> {
  const cleared = new Set<string>()
  for (const cells of [captured, guarded, harmless]) {
    for (const reason in cells) addWords(cleared, Reflect.get(cells, reason))
  }
  for (const name in notCaptured) cleared.add(name)
  if (pure !== undefined) addWords(cleared, pure)
  return cleared
}

function addWords(set: Set<string>, text: string): void {
  for (const word of text.split(/\s+/)) set.add(word)
}
