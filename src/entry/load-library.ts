/**
 * The library, run when it is first needed: importing `reprise` captures the functions of Node (`src/real`) and
 * nothing else. Everything else is in one file, `dist/library/library.cjs`, which has what V8 made of it before.
 *
 * `scripts/bundle-library.mjs` puts this into `dist/library/originals.js`, which every entry imports.
 *
 * Decision 0425.
 */
import { loadInRealm } from '../real/load-compiled.ts'

/** Modules by the path of their file in `dist`. */
export type Modules = { readonly [path: string]: object }

/** `originals`: the modules that were run at once, and that the library shares. */
export function lateLibrary(address: string, originals: Modules): () => Modules {
  let modules: Modules | null = null
  return () => {
    if (modules === null) {
      const path = process.getBuiltinModule('node:url').fileURLToPath(new URL('./library.cjs', address))
      const loaded: { readonly modules?: Modules } = loadInRealm(path, (name) => import(name), originals)
      modules = loaded.modules ?? {}
    }
    return modules
  }
}
