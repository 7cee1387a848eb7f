/**
 * Loads a CommonJS file of ours together with what V8 made of it before, if that is stored next to it and
 * belongs to this very V8; else from source. Reads only: the compiled form is made by the build. V8 itself
 * refuses one that does not fit the text, its version or its flags.
 *
 * Node's modules are loaded on first use: an idle process loads this file.
 */
import type { Script } from 'node:vm'

export type LoadedScript = { readonly exports: object; readonly script: Script }

type Loaded = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: object },
  filename: string,
  importModule: ImportModule,
) => void

export type ImportModule = (name: string) => Promise<unknown>

const neverImported: ImportModule = (name) =>
  Promise.reject(new Error(`${name} is imported by a file that imports nothing`))

/**
 * The file holds one function, such as Node would wrap around it. `importModule` is for a file that imports
 * modules later: `import()` does not work in what was compiled before.
 */
export function loadCompiled(path: string, importModule: ImportModule = neverImported): LoadedScript {
  const { Script } = process.getBuiltinModule('node:vm')
  const cachedData = bytesOrNothing(compiledPath(path))
  // The bundle is plain ASCII.
  const source = process.getBuiltinModule('node:fs').readFileSync(path, 'latin1')
  const script = new Script(source, { filename: path, ...(cachedData === undefined ? {} : { cachedData }) })
  const module = { exports: {} }
  const { createRequire } = process.getBuiltinModule('node:module')
  const run: Loaded = script.runInThisContext()
  run(module.exports, (name) => createRequire(path)(name), module, path, importModule)
  return { exports: module.exports, script }
}

/** Where the compiled form is for this Node. */
export function compiledPath(path: string): string {
  return `${path}.${process.versions.v8}-${process.arch}.compiled`
}

function bytesOrNothing(path: string): Buffer | undefined {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path)
  } catch {
    // Built by another Node: the text is compiled, as ever.
    return undefined
  }
}
