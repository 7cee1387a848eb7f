/** A launch configuration for VS Code that attaches to `reprise debug`, and adding it to `launch.json`. */
import { join } from 'node:path'
import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'

const NAME = 'Attach to reprise debug'

export function launchConfiguration(port: number): Readonly<Record<string, unknown>> {
  return {
    name: NAME,
    type: 'node',
    request: 'attach',
    address: '127.0.0.1',
    port,
    skipFiles: ['<node_internals>/**', '**/node_modules/**'],
    continueOnAttach: false,
  }
}

/** Replaces our own entry or adds it; every other byte of the file stays as it is. Returns the path. */
export function writeLaunch(folder: string, port: number): string {
  const path = join(folder, '.vscode', 'launch.json')
  const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : EMPTY
  const changed = withEntry(
    text,
    JSON.stringify(launchConfiguration(port), null, 2).replaceAll('\n', '\n    '),
  )
  if (changed === null)
    throw new RepriseError('usage', `${path} is not a launch configuration of VS Code`, {
      hint: 'mend it, or leave --vscode out and copy the printed configuration',
    })
  fs.mkdirSync(join(folder, '.vscode'), { recursive: true })
  fs.writeFileSync(path, changed)
  return path
}

const EMPTY = '{\n  "version": "0.2.0",\n  "configurations": []\n}\n'

/** Null if the text has no list of configurations, and no place for one. */
function withEntry(text: string, entry: string): string | null {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  if (errors.length > 0 || root?.type !== 'object') return null
  const list = findNodeAtLocation(root, ['configurations'])
  if (list === undefined)
    return insertFirst(text, root, `"configurations": [\n    ${entry}\n  ]`, '\n  ', '\n')
  if (list.type !== 'array') return null
  const own = list.children?.find((item) => findNodeAtLocation(item, ['name'])?.value === NAME)
  if (own !== undefined) return text.slice(0, own.offset) + entry + text.slice(own.offset + own.length)
  return insertFirst(text, list, entry, '\n    ', '\n  ')
}

/** The first member of a list or an object: behind it, the others keep their commas and comments. */
function insertFirst(
  text: string,
  { offset, children = [] }: Node,
  added: string,
  before: string,
  end: string,
): string {
  const after = children.length > 0 ? ',' : end
  return `${text.slice(0, offset + 1)}${before}${added}${after}${text.slice(offset + 1)}`
}
