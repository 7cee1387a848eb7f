/**
 * Dynamic `import()` on Node 20: its loader reads modules in the thread pool, so a module would come at another moment in a replay. The loader's own
 * reads, told apart by the caller, are answered at once, as newer Nodes do. The program's reads are not touched.
 */
import { loaderReads, loaderReadsLater } from '../../real/module-loader.ts'
import { callersOf } from '../caller.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'

const LOADER = 'node:internal/modules/'

export function moduleReadPatches(): Patch[] {
  if (!loaderReadsLater) return []
  return [
    patchFunction(loaderReads.owner, 'readFile', (original) => {
      // A method, like the original: nothing then stands between it and its caller on the stack.
      const { readFile } = {
        readFile(this: unknown, ...args: unknown[]): unknown {
          const isLoader = activeSession('offthread') !== null && callersOf(readFile, 1)[0]?.startsWith(LOADER) === true
          return isLoader ? readNow(args) : Reflect.apply(original, this, args)
        },
      }
      return readFile
    }),
  ]
}

async function readNow(args: unknown[]): Promise<unknown> {
  return loaderReads.readSync(...args)
}
