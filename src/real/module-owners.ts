/** Where packages and native addons are loaded, captured before anything is patched: a boundary stands at the door to see what comes in. */
import Module from 'node:module'

/** Has `_load`, which `require` and the import of a CommonJS package both go through. */
export const moduleOwner: object = Module

/** What has been loaded already: file name to exports. */
export function loadedModules(): readonly (readonly [file: string, exports: unknown])[] {
  const cache: unknown = Reflect.get(Module, '_cache')
  if (typeof cache !== 'object' || cache === null) return []
  return Object.entries(cache).map(([file, module]) => [file, typeof module === 'object' && module !== null ? Reflect.get(module, 'exports') : null])
}
