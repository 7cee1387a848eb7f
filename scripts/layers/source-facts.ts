import { parseSync } from 'oxc-parser'

/** What one source file imports and names, as the layer check needs it. */
export type SourceFacts = {
  readonly imports: ReadonlySet<string>
  /** Functions of Node that reach the outside world, such as `Date.now`. */
  readonly outsideNames: ReadonlySet<string>
  readonly identifiers: ReadonlySet<string>
}

const OUTSIDE_CALLS = new Set([
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'queueMicrotask',
])
const OUTSIDE_MEMBERS: Readonly<Record<string, ReadonlySet<string> | 'any'>> = {
  Date: new Set(['now']),
  Math: new Set(['random']),
  performance: 'any',
  crypto: 'any',
  process: new Set(['env', 'hrtime', 'stdin', 'cwd', 'uptime', 'nextTick']),
}

type Node = { readonly type: string; readonly [key: string]: unknown }

export function sourceFacts(path: string, text: string): SourceFacts {
  const { program, module } = parseSync(path, text)
  const imports = new Set(module.staticImports.map((entry) => entry.moduleRequest.value))
  const outsideNames = new Set<string>()
  const identifiers = new Set<string>()
  for (const entry of module.staticExports) {
    for (const part of entry.entries) if (part.moduleRequest !== null) imports.add(part.moduleRequest.value)
  }
  walk(program, (node) => {
    const imported = dynamicImport(node)
    if (imported !== null) imports.add(imported)
    const outside = outsideName(node)
    if (outside !== null) outsideNames.add(outside)
    if (isIdentifier(node)) identifiers.add(node.name)
  })
  return { imports, outsideNames, identifiers }
}

function dynamicImport(node: Node): string | null {
  const argument =
    node.type === 'ImportExpression' || node.type === 'TSImportType' ? (node.source ?? node.argument) : null
  const literal = isNode(argument) && argument.type === 'TSLiteralType' ? argument.literal : argument
  return isNode(literal) && typeof literal.value === 'string' ? literal.value : null
}

function outsideName(node: Node): string | null {
  if (node.type === 'CallExpression' && isIdentifier(node.callee) && OUTSIDE_CALLS.has(node.callee.name))
    return node.callee.name
  if (
    node.type === 'NewExpression' &&
    isIdentifier(node.callee) &&
    node.callee.name === 'Date' &&
    isEmpty(node.arguments)
  ) {
    return 'new Date()'
  }
  if (node.type !== 'MemberExpression' || !isIdentifier(node.object) || !isIdentifier(node.property))
    return null
  const members = Object.hasOwn(OUTSIDE_MEMBERS, node.object.name)
    ? OUTSIDE_MEMBERS[node.object.name]
    : undefined
  return members === 'any' || members?.has(node.property.name)
    ? `${node.object.name}.${node.property.name}`
    : null
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
