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
  originals: object,
) => void

export type ImportModule = (name: string) => Promise<unknown>

const neverImported: ImportModule = (name) =>
  Promise.reject(new Error(`${name} is imported by a file that imports nothing`))

/**
 * The file holds one function, such as Node would wrap around it. `importModule` is for a file that imports
 * modules later: `import()` does not work in what was compiled before. `originals` are modules that the file
 * shares with its caller.
 */
export function loadCompiled(
  path: string,
  importModule: ImportModule = neverImported,
  originals: object = {},
): LoadedScript {
  const { Script } = process.getBuiltinModule('node:vm')
  const cachedData = bytesOrNothing(compiledPath(path))
  const script = new Script(sourceOf(path), {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
  return { exports: exportsOf(script.runInThisContext(), path, importModule, originals), script }
}

/**
 * The same in the realm of the caller. Some test runners (Jest, `vmThreads` of Vitest) give each file globals
 * of its own: code that V8 made for the main realm would see, and patch, others than the test does.
 */
export function loadInRealm(path: string, importModule: ImportModule, originals: object): object {
  const isMain: boolean = process.getBuiltinModule('node:vm').runInThisContext('globalThis') === globalThis
  if (isMain) return loadCompiled(path, importModule, originals).exports
  // biome-ignore lint/security/noGlobalEval: a file of this package, in the one way that keeps the realm
  const run: Loaded = globalThis.eval(`${sourceOf(path)}\n//# sourceURL=${path}`)
  return exportsOf(run, path, importModule, originals)
}

/** The bundle is plain ASCII. */
function sourceOf(path: string): string {
  return process.getBuiltinModule('node:fs').readFileSync(path, 'latin1')
}

function exportsOf(run: Loaded, path: string, importModule: ImportModule, originals: object): object {
  const module = { exports: {} }
  const { createRequire } = process.getBuiltinModule('node:module')
  run(module.exports, (name) => createRequire(path)(name), module, path, importModule, originals)
  return module.exports
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
