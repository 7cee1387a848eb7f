/** Native code that the program loads: it could take anything in unseen, and need not. A note, no gap. */
import { label } from '../../base/index.ts'
import { realProcess } from '../../real/program.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'

const PROCESS = label('process')

export function addonPatch(): Patch {
  return patchFunction(realProcess, 'dlopen', (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      activeSession('process')?.note(PROCESS, `native code was loaded: ${fileName(args[1])}`)
      return Reflect.apply(original, this, args)
    }
  })
}

/** Without its folder, which is another one on another machine. */
function fileName(path: unknown): string {
  return String(path).split(/[/\\]/).at(-1) ?? ''
}
