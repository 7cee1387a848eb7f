/**
 * A folder that replaces the program's own once a fork is live, so that real subprocesses find the files of
 * the fork. Calls of the program go to the same paths in it; results and errors name the program's paths.
 */
import { dirname } from 'node:path'
import type { LayerFs } from '../../boundaries/files/layer/layer-fs.ts'
import { fs } from '../../real/fs.ts'
import type { FileTree } from './diff/file-tree.ts'

export type SandboxOptions = {
  readonly folder: string
  /** The path in the layer, absolute, of a path that the program passes. */
  readonly placed: (path: string) => string
  /** The program's folder, as a path in the layer. */
  readonly root: string
}

type AnyFunction = (...args: unknown[]) => unknown

const TWO_PATHS: ReadonlySet<string> = new Set(['renameSync', 'copyFileSync', 'cpSync', 'linkSync'])

/** The path in the sandbox; outside the root, the path itself. */
export function sandboxPath({ folder, root }: SandboxOptions, absolute: string): string {
  if (absolute === root) return folder
  return absolute.startsWith(`${root}/`) ? folder + absolute.slice(root.length) : absolute
}

/** Writes the files of the fork to the folder, which is empty. Symbolic links that lead out are skipped. */
export function fillSandbox(folder: string, tree: FileTree): void {
  for (const [path, entry] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const place = `${folder}/${path}`
    fs.mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
    switch (entry.kind) {
      case 'folder':
        fs.mkdirSync(place, { recursive: true, mode: 0o700 })
        break
      case 'file':
        fs.writeFileSync(place, entry.bytes, { mode: entry.mode | 0o600 })
        break
      case 'symlink':
        if (!entry.target.startsWith('/') && !entry.target.split('/').includes('..'))
          fs.symlinkSync(entry.target, place)
        break
    }
  }
}

/** Subprocesses find the installed packages of the program. */
export function linkPackages(folder: string, root: string): void {
  if (fs.existsSync(`${root}/node_modules`) && !fs.existsSync(`${folder}/node_modules`))
    fs.symlinkSync(`${root}/node_modules`, `${folder}/node_modules`)
}

/** The functions of the layer over the sandbox. */
export function sandboxFs(options: SandboxOptions, layer: LayerFs): LayerFs {
  const inside = (value: unknown): unknown =>
    typeof value === 'number' ? value : sandboxPath(options, options.placed(pathOf(value)))
  const argumentsOf = (name: string, [first, second, ...rest]: readonly unknown[]): unknown[] => {
    if (name === 'symlinkSync') return [first, inside(second), ...rest]
    return TWO_PATHS.has(name) ? [inside(first), inside(second), ...rest] : [inside(first), second, ...rest]
  }
  const faces = Object.keys(layer).map((name): [string, AnyFunction] => {
    if (name === 'facts')
      return [name, (path, follow) => (follow === true ? fs.statSync : fs.lstatSync)(String(inside(path)))]
    const real: unknown = Reflect.get(fs, name)
    return [
      name,
      (...args) => {
        try {
          return outward(options, Reflect.apply(real as AnyFunction, fs, argumentsOf(name, args)))
        } catch (error) {
          throw outwardError(options, error)
        }
      },
    ]
  })
  return { ...layer, ...Object.fromEntries(faces) }
}

function pathOf(value: unknown): string {
  return value instanceof URL ? decodeURIComponent(value.pathname) : String(value)
}

/** As the program knows it. */
function outward({ folder, root }: SandboxOptions, value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(folder) ? root + value.slice(folder.length) : value
  if (!Array.isArray(value)) return value
  for (const each of value)
    for (const name of ['parentPath', 'path']) {
      const path: unknown = typeof each === 'object' && each !== null ? Reflect.get(each, name) : undefined
      if (typeof path === 'string' && path.startsWith(folder))
        Object.defineProperty(each, name, { value: root + path.slice(folder.length), configurable: true })
    }
  return value
}

function outwardError({ folder, root }: SandboxOptions, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  error.message = error.message.replaceAll(folder, root)
  for (const name of ['path', 'dest']) {
    const path: unknown = Reflect.get(error, name)
    if (typeof path === 'string') Object.assign(error, { [name]: path.replaceAll(folder, root) })
  }
  return error
}
