/** WebAssembly's compilers, which work beside the main thread: only the place of each result counts. */
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import { heldPromise } from './held.ts'

const COMPILERS = ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming']

export function webAssemblyPatches(): Patch[] {
  const { webAssembly } = offthreadOwners
  return COMPILERS.filter((name) => typeof Reflect.get(webAssembly, name) === 'function').map((name) =>
    patchFunction(webAssembly, name, (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const session = activeSession()
        if (session === null) return Reflect.apply(original, this, args)
        return heldPromise(session, `WebAssembly.${name}`, () => Reflect.apply(original, this, args))
      }
    }),
  )
}
