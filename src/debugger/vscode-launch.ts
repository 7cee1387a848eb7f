/** A launch configuration for VS Code that attaches to `reprise debug`, and adding it to `launch.json`. */
import { join } from 'node:path'
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'
import { isObject } from '../base/index.ts'
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

/** Replaces our own entry or adds it; other entries and comments stay as they are. Returns the path. */
export function writeLaunch(folder: string, port: number): string {
  const path = join(folder, '.vscode', 'launch.json')
  const text = fs.existsSync(path)
    ? fs.readFileSync(path, 'utf8')
    : '{\n  "version": "0.2.0",\n  "configurations": []\n}\n'
  const errors: ParseError[] = []
  const document: unknown = parse(text, errors, { allowTrailingComma: true })
  const list = isObject(document) ? (document.configurations ?? []) : null
  if (errors.length > 0 || !Array.isArray(list))
    throw new RepriseError('usage', `${path} is not a launch configuration of VS Code`, {
      hint: 'mend it, or leave --vscode out and copy the printed configuration',
    })
  const found = list.findIndex((entry) => isObject(entry) && entry.name === NAME)
  const isNew = found < 0
  const edits = modify(text, ['configurations', isNew ? list.length : found], launchConfiguration(port), {
    isArrayInsertion: isNew,
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  })
  fs.mkdirSync(join(folder, '.vscode'), { recursive: true })
  fs.writeFileSync(path, applyEdits(text, edits))
  return path
}
