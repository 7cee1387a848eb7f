/**
 * The layer table of docs/architecture.md: each folder with a row, and the folders that its row lists under
 * "may import".
 */
export type LayerTable = ReadonlyMap<string, ReadonlySet<string>>

export function readTable(markdown: string): LayerTable {
  const rows = markdown.matchAll(/^\| `(\w[\w/-]*)` *\|[^|]*\|([^|]*)\|$/gm)
  const names = (cell: string): string[] => cell.match(/\w[\w/-]*/g) ?? []
  const table = new Map([...rows].map(([, folder = '', cell = '']) => [folder, new Set(names(cell))]))
  if (table.size === 0) throw new Error('docs/architecture.md: layer table not found')
  return table
}

export function layerOf(folder: string): string {
  return folder.split('/')[0] ?? ''
}

export function hasSubfolderRows(table: LayerTable, folder: string): boolean {
  return [...table.keys()].some((row) => row.startsWith(`${folder}/`))
}

/**
 * The row that a folder belongs to, or null: a subfolder needs its own row as soon as one of its siblings has
 * one.
 */
export function rowOf(table: LayerTable, folder: string): string | null {
  if (table.has(folder)) return folder
  const parent = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : null
  if (parent === null || hasSubfolderRows(table, parent)) return null
  return rowOf(table, parent)
}

/**
 * Whether a row lets its files import from a folder. The name of a folder in another layer includes its
 * subfolders.
 */
export function mayImport(table: LayerTable, row: string, target: string): boolean {
  if (row === target) return true
  const listed = (name: string): boolean =>
    name === target || (layerOf(name) !== layerOf(row) && target.startsWith(`${name}/`))
  return [...(table.get(row) ?? [])].some(listed)
}

/**
 * Contradictions inside the table: unknown names, a row without its parent, a subfolder that may do more than
 * its layer.
 */
export function tableOffences(table: LayerTable): string[] {
  const found: string[] = []
  for (const [row, names] of table) {
    const layer = layerOf(row)
    if (!table.has(layer)) found.push(`docs/architecture.md: row "${row}" has no row "${layer}" above it`)
    for (const name of names) {
      if (!table.has(name)) found.push(`docs/architecture.md: row "${row}" lists "${name}", which has no row`)
      else if (layerOf(name) !== layer && !mayImport(table, layer, name)) {
        found.push(`docs/architecture.md: row "${row}" lists "${name}", which row "${layer}" does not`)
      }
    }
  }
  return found
}
