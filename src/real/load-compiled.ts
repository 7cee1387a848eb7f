/**
 * Loads a CommonJS file of ours together with what V8 made of it before, if that is stored next to it and
 * belongs to this very V8; else from source. Reads only: the compiled form is made by the build. V8 itself
 * refuses one that does not fit the text, its version or its flags.
 *
 * Node's modules are loaded on first use: an idle process loads this file.
 */
import type { Script } from 'node:vm'
import { fitCompiled } from './fit-compiled.ts'

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
  const { text, compiled, release } = readBoth(path)
  const script = scriptOf(path, text, compiled)
  release()
  return { exports: exportsOf(script.runInThisContext(), path, importModule, originals), script }
}

function scriptOf(path: string, text: string, cachedData: Uint8Array | undefined): Script {
  const { Script } = process.getBuiltinModule('node:vm')
  return new Script(text, {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
  })
}

/**
 * The same in the realm of the caller. Some test runners (Jest, `vmThreads` of Vitest) give each file globals
 * of its own: code that V8 made for the main realm would see, and patch, others than the test does.
 */
export function loadInRealm(path: string, importModule: ImportModule, originals: object): object {
  const isMain: boolean = process.getBuiltinModule('node:vm').runInThisContext('globalThis') === globalThis
  if (isMain) {
    // Read in one call: the program may be recorded already.
    const script = scriptOf(path, sourceOf(path), bytesOrNothing(compiledPath(path)))
    return exportsOf(script.runInThisContext(), path, importModule, originals)
  }
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

type Resizable = ArrayBuffer & { resize(length: number): void }
type Both = { readonly text: string; readonly compiled: Uint8Array | undefined; readonly release: () => void }

/**
 * The text and the compiled form, read one after the other into the same memory: pages that are written to for
 * the first time take longer than the reading. `release` gives the memory back at once, not when garbage is
 * collected: an idle process would keep 2 MB for as long as it waits. V8 has read all of the compiled form when it has
 * made the script.
 */
function readBoth(path: string): Both {
  const { closeSync, fstatSync, openSync } = process.getBuiltinModule('node:fs')
  const textFile = openSync(path, 'r')
  const compiledFile = openOrNothing(compiledPath(path))
  try {
    const textSize = fstatSync(textFile).size
    const compiledSize = compiledFile === undefined ? 0 : fstatSync(compiledFile).size
    const size = Math.max(textSize, compiledSize)
    const memory: Resizable = Reflect.construct(ArrayBuffer, [size, { maxByteLength: size }])
    const bytes = Buffer.from(memory)
    const text = fill(bytes, textFile, textSize) ? bytes.toString('latin1', 0, textSize) : sourceOf(path)
    const isCompiled = compiledFile !== undefined && fill(bytes, compiledFile, compiledSize)
    const compiled = isCompiled ? bytes.subarray(0, compiledSize) : undefined
    if (compiled !== undefined) fitCompiled(compiled)
    return { text, compiled, release: () => memory.resize(0) }
  } finally {
    closeSync(textFile)
    if (compiledFile !== undefined) closeSync(compiledFile)
  }
}

/** Whether one call has read the whole file. */
function fill(bytes: Uint8Array, file: number, size: number): boolean {
  return process.getBuiltinModule('node:fs').readSync(file, bytes, 0, size, 0) === size
}

function openOrNothing(path: string): number | undefined {
  try {
    return process.getBuiltinModule('node:fs').openSync(path, 'r')
  } catch {
    // Built by another Node: the text is compiled, as ever.
    return undefined
  }
}

function bytesOrNothing(path: string): Buffer | undefined {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path)
  } catch {
    // Built by another Node: the text is compiled, as ever.
    return undefined
  }
}
