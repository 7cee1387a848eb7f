/**
 * Loads a CommonJS file of ours together with what V8 made of it before, if that lies beside it and is of this very V8; else as it stands. Reads only:
 * the compiled form is made by the build. V8 itself refuses one that does not fit the text, its version or its flags.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Script } from 'node:vm'

export type LoadedScript = { readonly exports: object; readonly script: Script }

export function loadCompiled(path: string): LoadedScript {
  const cachedData = bytesOrNothing(compiledPath(path))
  // The bundle is plain ASCII.
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'latin1')}\n})`
  const script = new Script(source, { filename: path, ...(cachedData === undefined ? {} : { cachedData }) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path))
  return { exports: module.exports, script }
}

/** Where the compiled form is for this Node. */
export function compiledPath(path: string): string {
  return `${path}.${process.versions.v8}-${process.arch}.compiled`
}

function bytesOrNothing(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    // Built by another Node: the text is compiled, as ever.
    return undefined
  }
}
