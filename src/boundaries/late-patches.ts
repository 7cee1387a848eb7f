/**
 * Installs patches of modules when Node loads them: nobody has seen the module by then. What is there already is patched at once.
 *
 * For sessions of a whole process, whose start is felt: loading and patching every module that a program may load takes longer than Node's own start.
 */
import { whenLoaded } from '../real/builtin-loads.ts'
import { installPatches, type LatePatches } from './patches.ts'

export function installLatePatches(late: readonly LatePatches[]): Disposable {
  const installed: Disposable[] = []
  const waiting = late.map(({ module, parts, make }) => whenLoaded(module, parts ?? [], () => void installed.push(installPatches(make()))))
  return {
    [Symbol.dispose]() {
      for (const entry of waiting) entry[Symbol.dispose]()
      for (const patches of installed.reverse()) patches[Symbol.dispose]()
    },
  }
}
