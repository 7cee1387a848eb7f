/**
 * `module.enableCompileCache` makes Node write a folder of compiled code when the process ends. A replay must
 * not write it: the call returns that the cache is disabled, which programs must expect.
 */
import { label } from '../../base/index.ts'
import { builtinModule } from '../../real/module-names.ts'
import { activeSession, outside } from '../context.ts'
import { type LatePatches, type Patch, patchFunction } from '../patches.ts'

const FILESYSTEM = label('filesystem')
/** `module.constants.compileCacheStatus.DISABLED`. */
const DISABLED = 3

export const compileCachePatches: LatePatches = { module: 'module', make: enableCompileCachePatch }

function enableCompileCachePatch(): Patch[] {
  const owner = builtinModule('module')
  if (owner === undefined || typeof Reflect.get(owner, 'enableCompileCache') !== 'function') return []
  return [
    patchFunction(owner, 'enableCompileCache', (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        return activeSession('filesystem')?.isLive(FILESYSTEM) === false
          ? { status: DISABLED }
          : // Node's own code reads the temporary folder here: the program does not.
            outside(() => Reflect.apply(original, this, args))
      }
    }),
  ]
}
