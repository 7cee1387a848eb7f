/**
 * Paths in a header by names: `$ROOT` is the first root, `$HOME` the home folder, `$TMP` the folder for
 * temporary files. A header is then the same on every machine. The seal has the folders themselves
 * (`places`): a replay needs them, because recorded answers contain them.
 *
 * A tape with the feature `rootNames` has such names; in any other tape `$ROOT` is plain text. A literal `$`
 * before a name or another `$` is written as `$$`.
 *
 * This file does not decide whether a path may be used: a path that was resolved is checked like any other.
 *
 * Decision 0385.
 */
import { fieldsOf, textOf } from '../base/index.ts'
import { currentFeatures, features, hasFeature } from './features.ts'
import type { HeaderFacts, TapeHeader } from './header.ts'
import type { Kind } from './kinds.ts'

/** The folders that the names mean; null for what is not known. */
export type NamedPlaces = {
  readonly root: string | null
  readonly home: string | null
  readonly temp: string | null
}

/** The fields of a header that contain paths. */
type PathFields = Pick<
  HeaderFacts,
  | 'scriptPath'
  | 'argv'
  | 'command'
  | 'program'
  | 'nodeOptions'
  | 'roots'
  | 'home'
  | 'temp'
  | 'addons'
  | 'modules'
>

/** The facts for a header that names `places`. The feature goes with them. */
export function nameHeader(facts: HeaderFacts, places: NamedPlaces): HeaderFacts {
  const [root, ...others] = facts.roots ?? []
  const name = (text: string): string => nameText(text, [places])
  return {
    ...facts,
    ...mapPaths(facts, name),
    // Also a folder that no text is searched for, such as `/`.
    ...(root === undefined
      ? {}
      : { roots: [root === places.root ? '$ROOT' : name(root), ...others.map(name)] }),
    ...(facts.home === undefined ? {} : { home: facts.home === places.home ? '$HOME' : name(facts.home) }),
    ...(facts.temp === undefined ? {} : { temp: facts.temp === places.temp ? '$TMP' : name(facts.temp) }),
    features: [...new Set([...(facts.features ?? currentFeatures), features.rootNames])],
  }
}

/** Facts of this process as the header of a tape names them; each of `places` counts. */
export function nameAs(header: TapeHeader, facts: HeaderFacts, places: readonly NamedPlaces[]): HeaderFacts {
  if (!hasFeature(header, 'rootNames')) return facts
  return { ...facts, ...mapPaths(facts, (text) => nameText(text, places)) }
}

/** The header with paths instead of names. A name whose place is not known stays. */
export function resolveHeader(header: TapeHeader, places: NamedPlaces): TapeHeader {
  if (!hasFeature(header, 'rootNames')) return header
  return { ...header, ...mapPaths(header, (text) => resolveText(text, places)) }
}

/** The header for people: names stay, `$$` is `$`. */
export function shownHeader(header: TapeHeader): TapeHeader {
  return resolveHeader(header, { root: null, home: null, temp: null })
}

/** The folders of the recording: from the seal, or from the header of a tape without names. */
export function recordedPlaces(header: TapeHeader, seal: Kind<'tape_seal'> | null): NamedPlaces {
  if (!hasFeature(header, 'rootNames'))
    return { root: header.roots?.[0] ?? null, home: header.home ?? null, temp: header.temp ?? null }
  const { root, home, temp } = fieldsOf(seal?.places)
  return { root: textOf(root), home: textOf(home), temp: textOf(temp) }
}

/** Those of `first`, and for what is not known those of `other`. */
export function eitherPlaces(first: NamedPlaces, other: NamedPlaces): NamedPlaces {
  return {
    root: first.root ?? other.root,
    home: first.home ?? other.home,
    temp: first.temp ?? other.temp,
  }
}

function mapPaths(header: HeaderFacts, map: (text: string) => string): PathFields {
  const { scriptPath, argv, command, program, nodeOptions, roots, home, temp, addons, modules } = header
  return {
    ...(scriptPath == null ? {} : { scriptPath: map(scriptPath) }),
    ...(argv === undefined ? {} : { argv: argv.map(map) }),
    ...(command === undefined ? {} : { command: command.map(map) }),
    ...(program === undefined ? {} : { program: mapProgram(program, map) }),
    ...(nodeOptions === undefined ? {} : { nodeOptions: map(nodeOptions) }),
    ...(roots === undefined ? {} : { roots: roots.map(map) }),
    ...(home === undefined ? {} : { home: map(home) }),
    ...(temp === undefined ? {} : { temp: map(temp) }),
    ...(addons === undefined ? {} : { addons: addons.map(map) }),
    ...(modules === undefined
      ? {}
      : { modules: Object.fromEntries(Object.entries(modules).map(([path, hash]) => [map(path), hash])) }),
  }
}

function mapProgram(
  { execArgs, script, args }: NonNullable<TapeHeader['program']>,
  map: (text: string) => string,
): NonNullable<TapeHeader['program']> {
  return { execArgs: execArgs.map(map), script: map(script), args: args.map(map) }
}

const LITERAL = /\$(?=\$|ROOT|HOME|TMP)/g
const NAME = /\$(\$|(?:ROOT|HOME|TMP)(?![A-Za-z0-9_]))/g

/** Before and after a path; a `$` before it would be read as a part of the name. */
const BEFORE = `(?<=^|[=:,;'"\`\\s()[\\]{}<>|@/+!])`
const AFTER = `(?=$|[/'"\`:,;&?#=\\s()[\\]{}<>|])`

/** Exported for its property test. */
export function nameText(text: string, places: readonly NamedPlaces[]): string {
  const folders = places.flatMap(foldersOf).sort(([a], [b]) => b.length - a.length)
  if (folders.length === 0) return text.replace(LITERAL, '$$$$')
  const pattern = new RegExp(`${BEFORE}(${folders.map(([folder]) => escaped(folder)).join('|')})${AFTER}`)
  // Every second part is a folder.
  return text
    .split(pattern)
    .map((part, at) => {
      if (at % 2 === 0) return part.replace(LITERAL, '$$$$')
      return folders.find(([folder]) => folder === part)?.[1] ?? part
    })
    .join('')
}

/** Exported for its property test. */
export function resolveText(text: string, { root, home, temp }: NamedPlaces): string {
  return text.replace(NAME, (whole, name: string) => {
    switch (name) {
      case 'ROOT':
        return root ?? whole
      case 'HOME':
        return home ?? whole
      case 'TMP':
        return temp ?? whole
      default:
        return '$'
    }
  })
}

/** No path is longer. A tape may contain any text, and a regular expression of it may be too large. */
const LONGEST_PATH = 4096

/** The first of equal folders counts. `/` is in every path, so it has no name. */
function foldersOf({ root, home, temp }: NamedPlaces): [folder: string, name: string][] {
  const named: [string | null, string][] = [
    [root, '$ROOT'],
    [temp, '$TMP'],
    [home, '$HOME'],
  ]
  return named.flatMap(([folder, name]) =>
    folder === null || folder === '' || folder === '/' || folder.length > LONGEST_PATH
      ? []
      : [[folder, name] satisfies [string, string]],
  )
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
