/**
 * The API reference: one Markdown page per entry of the package, made from the declaration files in `dist`.
 * Each exported name has its comment and its declaration, as a user's editor shows them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const root = fileURLToPath(new URL('../', import.meta.url))

export type ApiPage = { readonly file: string; readonly text: string }

type Exported = {
  readonly name: string
  readonly comment: string
  readonly code: string
  readonly isType: boolean
}

export function apiPages(): readonly ApiPage[] {
  const manifest: { readonly exports: Readonly<Record<string, { readonly types: string } | string>> } =
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const pages = Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === 'string' ? [] : [entryPage(entry, join(root, target.types))],
  )
  const list = pages.map(({ entry, file, count }) => `- [\`${entry}\`](${file}): ${count}`)
  const index = [
    '# API reference',
    '',
    'Made from the declaration files by `npx tsx scripts/write-api.ts`; a test fails if a page is not up to date.',
    'What is not listed here is not public and can change in any version. The [guides](../README.md) explain',
    'how the parts are used.',
    '',
    ...list,
    '',
  ]
  return [{ file: 'README.md', text: index.join('\n') }, ...pages.map(({ file, text }) => ({ file, text }))]
}

function entryPage(
  entry: string,
  path: string,
): ApiPage & { readonly entry: string; readonly count: string } {
  const name = entry.replace(/^\./, 'reprise')
  const exported = [...exportsOf(path)].sort((a, b) => compare(a.name, b.name))
  const values = exported.filter(({ isType }) => !isType)
  const types = exported.filter(({ isType }) => isType)
  const lines = [`# ${name}`, '']
  if (exported.length === 0)
    lines.push(`Exports nothing: \`node --import ${name} agent.mjs\` starts what the environment names.`, '')
  for (const { title, list } of [
    { title: 'Functions and values', list: values },
    { title: 'Types', list: types },
  ]) {
    if (list.length === 0) continue
    lines.push(`## ${title}`, '')
    for (const { name: title, comment, code } of list) {
      lines.push(`### ${title}`, '')
      if (comment !== '') lines.push(comment, '')
      lines.push('```ts', code, '```', '')
    }
  }
  const count = [
    `${values.length} value${values.length === 1 ? '' : 's'}`,
    `${types.length} type${types.length === 1 ? '' : 's'}`,
  ].join(', ')
  return { entry: name, file: `${name.replaceAll('/', '-')}.md`, text: lines.join('\n'), count }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** What a declaration file exports, by following its re-exports. */
function* exportsOf(path: string): Generator<Exported> {
  const source = readFileSync(path, 'utf8')
  const { module } = parseSync(path, source)
  for (const { entries } of module.staticExports) {
    for (const { exportName, importName, localName, moduleRequest } of entries) {
      const from = moduleRequest === null ? path : fileOf(path, moduleRequest.value)
      if (exportName.name === null) yield* exportsOf(from)
      else if (moduleRequest !== null)
        yield { ...find(from, importName.name ?? exportName.name), name: exportName.name }
      else yield { ...find(path, localName.name ?? exportName.name), name: exportName.name }
    }
  }
}

function fileOf(path: string, request: string): string {
  return resolve(dirname(path), request.replace(/\.(js|ts)$/, '.d.ts'))
}

/** The declaration of a name: in this file, or in the one that it comes from. */
function find(path: string, name: string): Exported {
  const source = readFileSync(path, 'utf8')
  const { program, comments, module } = parseSync(path, source)
  const parts: string[] = []
  let comment = ''
  let isType = true
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declaration === null || !namesOf(declaration).includes(name)) continue
    const before = comments.findLast(
      ({ type, value, end }) =>
        type === 'Block' &&
        value.startsWith('*') &&
        end <= statement.start &&
        source.slice(end, statement.start).trim() === '',
    )
    if (before !== undefined && comment === '') comment = textOf(before.value)
    parts.push(source.slice(statement.start, statement.end).replace(/^export (declare )?/, ''))
    isType &&= declaration.type.startsWith('TS') && declaration.type !== 'TSDeclareFunction'
  }
  if (parts.length > 0) return { name, comment, code: unindented(parts.join('\n')), isType }
  for (const { moduleRequest, entries } of module.staticImports) {
    const entry = entries.find(({ localName }) => localName.value === name)
    const file = fileOf(path, moduleRequest.value)
    if (entry !== undefined && existsSync(file)) return find(file, entry.importName.name ?? name)
  }
  for (const { entries } of module.staticExports) {
    for (const { exportName, importName, moduleRequest } of entries) {
      if (moduleRequest === null) continue
      const file = fileOf(path, moduleRequest.value)
      if (exportName.name === name) return find(file, importName.name ?? name)
      if (exportName.name === null && [...exportsOf(file)].some((each) => each.name === name))
        return find(file, name)
    }
  }
  throw new Error(`${path} has no declaration of ${name}`)
}

function namesOf(declaration: object): string[] {
  const declarators: unknown = 'declarations' in declaration ? declaration.declarations : [declaration]
  return (Array.isArray(declarators) ? declarators : []).flatMap((each: unknown) => {
    const id = isRecord(each) ? each.id : null
    return isRecord(id) && typeof id.name === 'string' ? [id.name] : []
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function textOf(comment: string): string {
  return comment
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()
}

/** A longer list of literals is left out: the text of the page states where it is. */
const MAX_LINE = 400

/** Two spaces for each level instead of four, and no private members. */
function unindented(code: string): string {
  return code
    .split('\n')
    .filter((line) => !/^\s*(#private;|private )/.test(line))
    .map((line) => line.replace(/^( {4})+/, (spaces) => spaces.slice(spaces.length / 2)))
    .map((line) => (line.length > MAX_LINE ? line.replace(/\[.*\]/, '[…]') : line))
    .join('\n')
}
