/**
 * Installs patches of modules when Node loads them: no code has used the module by then. Modules that are
 * already loaded are patched at once.
 *
 * For sessions of a whole process, where start-up time matters: loading and patching every module that a
 * program may load takes longer than Node's own start.
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
  // During a load, no code has named imports of the module yet. Also, Node may be reading a lazy property of
  // another module at this moment (`util.diff`). Updating named imports now would read that property a second
  // time, and V8 aborts the process for that.
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
