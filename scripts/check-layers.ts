/**
 * Holds the source to the layer table of docs/architecture.md: who may import whom, no cycles, and no Node I/O, clock or random function named
 * outside `src/real`. Prints one line per offence and exits 1.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

/** Modules that reach the outside world. `node:path`, `node:url`, `node:buffer`, `node:util`, `node:async_hooks` and the like are pure. */
function isOutsideModule(name: string): boolean {
  return /^(node:)?(fs|child_process|http|https|http2|net|tls|dgram|dns|os|crypto|timers|worker_threads|perf_hooks|readline|cluster|sqlite|tty|inspector)(\/|$)/.test(
    name,
  )
}

const OUTSIDE_CALLS = new Set(['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'queueMicrotask'])
const OUTSIDE_MEMBERS: Readonly<Record<string, ReadonlySet<string> | 'any'>> = {
  Date: new Set(['now']),
  Math: new Set(['random']),
  performance: 'any',
  crypto: 'any',
  process: new Set(['env', 'hrtime', 'stdin', 'cwd', 'uptime', 'nextTick']),
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const offences = checkLayers(join(root, 'src'), readFileSync(join(root, 'docs/architecture.md'), 'utf8'))
for (const offence of offences) console.error(offence)
console.log(offences.length === 0 ? 'layers: in order' : `layers: ${offences.length} offence(s)`)
process.exitCode = offences.length === 0 ? 0 : 1

function checkLayers(source: string, architecture: string): string[] {
  const allowed = readTable(architecture)
  const found: string[] = []
  const edges = new Map<string, Set<string>>()
  for (const file of sourceFiles(source)) {
    const path = relative(root, file)
    const layer = relative(source, file).split('/')[0] ?? ''
    const mayImport = allowed.get(layer)
    if (mayImport === undefined) {
      found.push(`${path}: folder "${layer}" has no row in docs/architecture.md`)
      continue
    }
    const isTest = file.endsWith('.test.ts')
    const { program, module } = parseSync(file, readFileSync(file, 'utf8'))
    for (const specifier of importedModules(program, module)) {
      if (!specifier.startsWith('.')) {
        if (layer !== 'real' && !isTest && isOutsideModule(specifier)) found.push(`${path}: imports ${specifier}; only src/real may`)
        continue
      }
      const target = relative(source, resolve(dirname(file), specifier))
      const targetLayer = target.split('/')[0] ?? ''
      if (target.startsWith('..')) {
        if (!isTest) found.push(`${path}: imports ${specifier}, outside src`)
      } else if (targetLayer !== layer && !mayImport.has(targetLayer)) {
        found.push(`${path}: "${layer}" may not import "${targetLayer}" (${specifier})`)
      }
      if (!isTest) addEdge(edges, relative(source, file), target)
    }
    if (layer !== 'real' && !isTest) for (const name of outsideNames(program)) found.push(`${path}: names ${name}; only src/real may`)
  }
  for (const cycle of cycles(edges)) found.push(`cycle: ${cycle.join(' -> ')}`)
  return found
}

function readTable(markdown: string): Map<string, Set<string>> {
  const rows = markdown.matchAll(/^\| `(\w+)` *\|[^|]*\|([^|]*)\|$/gm)
  const names = (cell: string): string[] => cell.match(/\w+/g) ?? []
  const table = new Map([...rows].map(([, layer = '', cell = '']) => [layer, new Set(names(cell))]))
  if (table.size < 10) throw new Error('docs/architecture.md: layer table not found')
  return table
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

type Node = { readonly type: string; readonly [key: string]: unknown }
type ParsedModule = ReturnType<typeof parseSync>['module']

function importedModules(program: unknown, module: ParsedModule): Set<string> {
  const names = new Set(module.staticImports.map((entry) => entry.moduleRequest.value))
  for (const entry of module.staticExports) for (const part of entry.entries) if (part.moduleRequest !== null) names.add(part.moduleRequest.value)
  walk(program, (node) => {
    const argument = node.type === 'ImportExpression' || node.type === 'TSImportType' ? (node.source ?? node.argument) : null
    const literal = isNode(argument) && argument.type === 'TSLiteralType' ? argument.literal : argument
    if (isNode(literal) && typeof literal.value === 'string') names.add(literal.value)
  })
  return names
}

function outsideNames(program: unknown): Set<string> {
  const names = new Set<string>()
  walk(program, (node) => {
    if (node.type === 'CallExpression' && isIdentifier(node.callee) && OUTSIDE_CALLS.has(node.callee.name)) names.add(node.callee.name)
    if (node.type === 'NewExpression' && isIdentifier(node.callee) && node.callee.name === 'Date' && isEmpty(node.arguments)) names.add('new Date()')
    if (node.type !== 'MemberExpression' || !isIdentifier(node.object) || !isIdentifier(node.property)) return
    const members = Object.hasOwn(OUTSIDE_MEMBERS, node.object.name) ? OUTSIDE_MEMBERS[node.object.name] : undefined
    if (members === 'any' || members?.has(node.property.name)) names.add(`${node.object.name}.${node.property.name}`)
  })
  return names
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit)
  else if (isNode(value)) {
    visit(value)
    for (const child of Object.values(value)) if (typeof child === 'object') walk(child, visit)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function isIdentifier(value: unknown): value is Node & { readonly name: string } {
  return isNode(value) && value.type === 'Identifier'
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function addEdge(edges: Map<string, Set<string>>, from: string, to: string): void {
  const targets = edges.get(from) ?? new Set()
  edges.set(from, targets.add(to))
}

function cycles(edges: Map<string, Set<string>>): string[][] {
  const found: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      found.push([...trail.slice(trail.indexOf(file)), file])
      return
    }
    if (done.has(file)) return
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file])
    done.add(file)
  }
  for (const file of edges.keys()) visit(file, [])
  return found
}
