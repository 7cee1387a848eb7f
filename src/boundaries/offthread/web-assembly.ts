/** WebAssembly's compilers, which work off the main thread: only the place of each result counts. */
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { callersOf } from '../caller.ts'
import { activeSession } from '../context.ts'
import { heldPromise } from '../held.ts'
import { type Patch, patchFunction } from '../patches.ts'

const COMPILERS = ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming']

export function webAssemblyPatches(): Patch[] {
  const { webAssembly } = offthreadOwners
  return COMPILERS.filter((name) => typeof Reflect.get(webAssembly, name) === 'function').map((name) =>
    patchFunction(webAssembly, name, (original) => {
      return function compiler(this: unknown, ...args: unknown[]): unknown {
        const session = activeSession('offthread')
        // Node's own loaders and its bundled undici compile parsers when they first need one: when that is,
        // is not the program's doing.
        if (session === null || callersOf(compiler, 2).some((frame) => frame.startsWith('node:internal/')))
          return Reflect.apply(original, this, args)
        return heldPromise(session, `WebAssembly.${name}`, () => Reflect.apply(original, this, args))
      }
    }),
  )
}
