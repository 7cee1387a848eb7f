/** Native code that the program loads: it could take anything in unseen, and need not. A note, no gap. */
import { label } from '../../base/index.ts'
import { realProcess } from '../../real/program.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'

const PROCESS = label('process')
/** A boundary of its own stands before each function of these: see terminal/node-pty.ts. */
const WATCHED: ReadonlySet<string> = new Set(['pty.node'])

export function addonPatch(): Patch {
  return patchFunction(realProcess, 'dlopen', (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const name = fileName(args[1])
      if (!WATCHED.has(name)) activeSession('process')?.note(PROCESS, `native code was loaded: ${name}`)
      return Reflect.apply(original, this, args)
    }
  })
}

/** Without its folder, which is another one on another machine. */
function fileName(path: unknown): string {
  return String(path).split(/[/\\]/).at(-1) ?? ''
}
