/**
 * Where packages and native addons are loaded, captured before anything is patched: a boundary intercepts the
 * door to see what comes in.
 */

// Not imported: test runners give their own module to code in a context of theirs.
const { Module } = process.getBuiltinModule('node:module')

/**
 * Has `load`, which every CommonJS file goes through once, required or imported. Not `_load`: that is called
 * for Node's own modules too, and the frames between such a call and its caller decide whether Node warns
 * of a deprecated one.
 */
export const modulePrototype: object = Module.prototype

/** What has been loaded already: file name to exports. */
export function loadedModules(): readonly (readonly [file: string, exports: unknown])[] {
  const cache: unknown = Reflect.get(Module, '_cache')
  if (typeof cache !== 'object' || cache === null) return []
  return Object.entries(cache).map(([file, module]) => [
    file,
    typeof module === 'object' && module !== null ? Reflect.get(module, 'exports') : null,
  ])
}
