/**
 * Installs patches of modules when Node loads them: no code has seen the module by then. What is there
 * already is patched at once.
 *
 * For sessions of a whole process, whose start is felt: loading and patching every module that a program may
 * load takes longer than Node's own start.
 *
 * Decision 0200.
 */
import { whenLoaded } from '../real/builtin-loads.ts'
import { installPatches, type LatePatches, type Patch } from './patches.ts'

export function installLatePatches(
  late: readonly LatePatches[],
  refused?: (patch: Patch) => void,
): Disposable {
  const installed: Disposable[] = []
  // In the middle of a load there are no named imports of the module yet; and Node may be at a property of
  // another module that is made when it is first read (`util.diff`). To have named imports brought up to date
  // then would read it a second time meanwhile, and V8 aborts the process for that.
  let isLoading = false
  const install = (make: LatePatches['make']): void =>
    void installed.push(installPatches(make(), !isLoading, refused))
  const waiting = late.map(({ module, parts, make }) => whenLoaded(module, parts ?? [], () => install(make)))
  isLoading = true
  return {
    [Symbol.dispose]() {
      for (const entry of waiting) entry[Symbol.dispose]()
      for (const patches of installed.reverse()) patches[Symbol.dispose]()
    },
  }
}
