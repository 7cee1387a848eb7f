/**
 * Loads the two files of the library, which have what V8 made of them before. Importing `reprise` loads
 * `dist/library/originals.cjs`: it captures the functions of Node (`src/real`) and does nothing else. The first call of a
 * function loads `library.cjs`, which has everything else.
 *
 * `scripts/bundle-library.mjs` puts this into `dist/library/originals.js`, which every entry imports.
 *
 * Decisions 0425 and 0540.
 */
import { loadInRealm } from '../real/load-compiled.ts'

/** Modules by the path of their file in `dist`. */
export type Modules = { readonly [path: string]: object }

/** `address`: of a file next to it. `originals`: the modules that were run before, and that the file shares. */
export function loadModules(address: string, name: string, originals: Modules): Modules {
  const path = process.getBuiltinModule('node:url').fileURLToPath(new URL(name, address))
  const loaded: { readonly modules?: Modules } = loadInRealm(path, (module) => import(module), originals)
  return loaded.modules ?? {}
}

export function lateLibrary(address: string, originals: Modules): () => Modules {
  let modules: Modules | null = null
  return () => {
    modules ??= loadModules(address, './library.cjs', originals)
    return modules
  }
}
