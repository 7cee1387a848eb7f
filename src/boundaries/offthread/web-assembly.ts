/** WebAssembly's compilers, which work off the main thread: only the position of each result counts. */
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { callersOf, UNDICI } from '../caller.ts'
import { activeSession } from '../context.ts'
import { heldPromise } from '../held.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'

const { Module, Instance } = offthreadOwners.webAssembly
const COMPILERS = ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming']

export function webAssemblyPatches(): Patch[] {
  const { webAssembly } = offthreadOwners
  return COMPILERS.filter((name) => typeof Reflect.get(webAssembly, name) === 'function').map((name) =>
    patchFunction(webAssembly, name, (original) => {
      return function compiler(this: unknown, ...args: unknown[]): unknown {
        if (isUndiciLoading(name, args, compiler)) return compileAtOnce(name, args)
        const session = activeSession('offthread')
        // Node's own loaders and its bundled undici compile parsers on first use: that moment does not depend
        // on the program.
        if (session === null || callersOf(compiler, 2).some((frame) => frame.startsWith('node:internal/')))
          return Reflect.apply(original, this, args)
        return heldPromise(session, `WebAssembly.${name}`, () => Reflect.apply(original, this, args))
      }
    }),
  )
}

function isUndiciLoading(name: string, [given]: readonly unknown[], callee: AnyFunction): boolean {
  const isPlain = name === 'compile' || (name === 'instantiate' && given instanceof Module)
  return isPlain && callersOf(callee, 2).some((file) => file.startsWith(UNDICI))
}

/**
 * The parser of the bundled undici. Off the main thread its promise would be settled by a task of V8, and
 * what continues then (a request of ours is sent) would look like the program.
 */
async function compileAtOnce(name: string, [given, imports]: readonly unknown[]): Promise<unknown> {
  return name === 'compile' ? new Module(given) : new Instance(given, imports)
}
