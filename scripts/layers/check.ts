import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path/posix'
import { addEdge, cycles, type Edges, mutualPairs } from './cycles.ts'
import {
  hasSubfolderRows,
  type LayerTable,
  layerOf,
  mayImport,
  readTable,
  rowOf,
  tableOffences,
} from './layer-table.ts'
import { type SourceFacts, sourceFacts } from './source-facts.ts'

export type CheckedSource = {
  /** Text by path, `src/…` with forward slashes. */
  readonly files: ReadonlyMap<string, string>
  /** The text of docs/architecture.md. */
  readonly architecture: string
  /** Files that may name `fromDisk` or `fromReprise`. */
  readonly scrubbedMakers: readonly string[]
}

type CheckedFile = {
  readonly path: string
  readonly folder: string
  readonly isTest: boolean
  readonly facts: SourceFacts
}

/**
 * The row of the code that runs in a browser: it has the browser's clock and network, and nothing of Node.
 */
const PAGE = 'viewer/web'

/** Returns one line for each offence against the layer table. */
export function checkLayers({ files, architecture, scrubbedMakers }: CheckedSource): string[] {
  const table = readTable(architecture)
  const checked = [...files].map(([path, text]) => checkedFile(path, text))
  return [
    ...tableOffences(table),
    ...checked.flatMap((file) => fileOffences(table, file)),
    ...cycleOffences(table, checked),
    ...scrubbedOffences(checked, scrubbedMakers),
  ]
}

function checkedFile(path: string, text: string): CheckedFile {
  const folder = dirname(path.slice('src/'.length))
  return { path, folder, isTest: /\.test\.tsx?$/.test(path), facts: sourceFacts(path, text) }
}

function fileOffences(table: LayerTable, file: CheckedFile): string[] {
  const { path, folder, isTest, facts } = file
  const row = rowOf(table, folder)
  if (row === null) return [`${path}: folder "${folder}" has no row in docs/architecture.md`]
  const found: string[] = []
  const isReal = layerOf(row) === 'real'
  const isPage = row === PAGE
  for (const specifier of facts.imports) {
    if (!specifier.startsWith('.')) {
      if (isPage && !isTest && isBuiltin(specifier))
        found.push(`${path}: imports ${specifier}; a browser does not have it`)
      if (!isReal && !isTest && isOutsideModule(specifier))
        found.push(`${path}: imports ${specifier}; only src/real may`)
      continue
    }
    const target = importedFile(path, specifier)
    if (target === null) {
      if (!isTest) found.push(`${path}: imports ${specifier}, outside src`)
      continue
    }
    // A target folder without a row is reported once, for its own files.
    const targetRow = rowOf(table, dirname(target)) ?? dirname(target)
    // Tests are held to the row of their layer only: a test may build what it tests from any folder of the
    // layer.
    const allowed = isTest
      ? layerOf(targetRow) === layerOf(row) || mayImport(table, layerOf(row), targetRow)
      : mayImport(table, row, targetRow)
    if (!allowed) found.push(`${path}: "${row}" may not import "${targetRow}" (${specifier})`)
  }
  if (!isReal && !isPage && !isTest)
    for (const name of facts.outsideNames) found.push(`${path}: names ${name}; only src/real may`)
  return found
}

/** The imported file relative to src, or null if it is outside. */
function importedFile(path: string, specifier: string): string | null {
  const target = join(dirname(path), specifier)
  return target.startsWith('src/') ? target.slice('src/'.length) : null
}

function cycleOffences(table: LayerTable, files: readonly CheckedFile[]): string[] {
  const fileEdges: Edges = new Map()
  const folderEdges: Edges = new Map()
  // A layer without rows for its subfolders counts as one folder.
  const folderOf = (path: string): string =>
    hasSubfolderRows(table, layerOf(path)) ? dirname(path) : layerOf(path)
  for (const { path, isTest, facts } of files) {
    if (isTest) continue
    const from = path.slice('src/'.length)
    for (const specifier of facts.imports) {
      const target = specifier.startsWith('.') ? importedFile(path, specifier) : null
      if (target === null) continue
      addEdge(fileEdges, from, target)
      if (folderOf(from) !== folderOf(target)) addEdge(folderEdges, folderOf(from), folderOf(target))
    }
  }
  return [
    ...cycles(fileEdges).map((cycle) => `cycle: ${cycle.join(' -> ')}`),
    ...mutualPairs(folderEdges).map(([left, right]) => `folders "${left}" and "${right}" import each other`),
    ...cycles(folderEdges)
      .filter((cycle) => cycle.length > 3)
      .map((cycle) => `cycle of folders: ${cycle.join(' -> ')}`),
    ...cycles(new Map([...table].map(([row, names]) => [row, new Set(names)]))).map(
      (cycle) => `docs/architecture.md: rows allow a cycle: ${cycle.join(' -> ')}`,
    ),
  ]
}

function scrubbedOffences(files: readonly CheckedFile[], makers: readonly string[]): string[] {
  const found: string[] = []
  const unused = new Set(makers)
  for (const { path, isTest, facts } of files) {
    const named = ['fromDisk', 'fromReprise'].filter((name) => facts.identifiers.has(name))
    if (isTest || named.length === 0) continue
    if (!unused.delete(path))
      found.push(`${path}: names ${named.join(' and ')}; see scripts/layers/scrubbed-makers.ts`)
  }
  for (const path of unused)
    found.push(
      `${path}: names neither fromDisk nor fromReprise; remove it from scripts/layers/scrubbed-makers.ts`,
    )
  return found
}

/**
 * Modules that reach the outside world. `node:path`, `node:url`, `node:buffer`, `node:util`,
 * `node:async_hooks` and the like are pure.
 */
function isOutsideModule(name: string): boolean {
  return /^(node:)?(fs|child_process|http|https|http2|net|tls|dgram|dns|os|crypto|timers|worker_threads|perf_hooks|readline|cluster|sqlite|tty|inspector)(\/|$)/.test(
    name,
  )
}
