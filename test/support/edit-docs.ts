/** What docs/format/edits.md and the schema say about edits. */
import { readFileSync } from 'node:fs'
import { type PathStep, parsePath } from '../../src/testbench/edits/json-path.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The kinds that each member fits, as the table of the page has them. */
export function docsTable(): Record<string, readonly string[]> {
  const rows = [...read('docs/format/edits.md').matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)]
  return Object.fromEntries(
    rows.map(([, name = '', kinds = '']) => [
      name,
      kinds.split(',').map((kind) => kind.replaceAll(/[` ]/g, '')),
    ]),
  )
}

export function schemaNames(): readonly string[] {
  return Object.keys(JSON.parse(read('schema/edits-v1.schema.json')).$defs.edit.properties)
}

export function checkedPathOf(text: string): readonly PathStep[] {
  const path = parsePath(text)
  if (path === null) throw new Error(`no path: ${text}`)
  return path
}
