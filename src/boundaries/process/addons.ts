/**
 * Native code that the program loads: it could take anything in and reach anything. An addon of the table
 * (known-addons.ts), or one that the user vouched for, is a note. Any other is a gap in a recording and
 * refused in a replay.
 */
import { label } from '../../base/index.ts'
import { packageOfFile } from '../../real/package-of-file.ts'
import { realProcess } from '../../real/program.ts'
import { activeSession } from '../context.ts'
import { databaseAddonPatches, isDatabasePackage } from '../files/databases.ts'
import { stayOn } from '../loaded-files.ts'
import { type Patch, patchFunction } from '../patches.ts'
import { knownAddon } from './known-addons.ts'

const PROCESS = label('process')

/** A separate boundary intercepts each function of these: see terminal/node-pty.ts. */
const TERMINAL = 'pty.node'

export type VouchedAddons = {
  /** Names of packages, or of files without a package, that the recording vouched for. */
  readonly names: ReadonlySet<string>
  /** Called when one of `names` is loaded. */
  used?(name: string): void
}

export function addonPatch(vouched: VouchedAddons): Patch {
  return patchFunction(realProcess, 'dlopen', (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const file = String(args[1])
      const session = activeSession('process')
      if (session === null) return Reflect.apply(original, this, args)
      const owner = packageOfFile(file)
      const name = owner?.name ?? fileName(file)
      const isKnown = owner !== null && knownAddon(owner.name, owner.version) !== null
      const isVouched = vouched.names.has(name) || vouched.names.has(fileName(file))
      if (isVouched) vouched.used?.(name)
      if (!isKnown && !isVouched) {
        const reason = `native addon ${name}`
        if (session.isLive(PROCESS))
          session.gap(PROCESS, `${reason}${owner === null ? '' : ` ${owner.version}`} (${fileName(file)})`)
        // Starting what no tape has throws the divergence, and keeps it.
        else session.start(PROCESS, reason, () => undefined)
      } else if (fileName(file) !== TERMINAL)
        session.note(PROCESS, `native code was loaded: ${fileName(file)}`)
      const result: unknown = Reflect.apply(original, this, args)
      if (isDatabasePackage(name)) watchDatabase(name, args[0])
      return result
    }
  })
}

/** Also if it is loaded by `process.dlopen` itself, past the module loader. */
function watchDatabase(name: string, module: unknown): void {
  const exports: unknown =
    typeof module === 'object' && module !== null ? Reflect.get(module, 'exports') : null
  if (typeof exports !== 'object' || exports === null) return
  for (const patch of databaseAddonPatches(name, exports)) stayOn(patch)
}

/** Without its folder, which is another one on another machine. */
function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? ''
}
