/**
 * Native code that the program loads: it could receive any input and reach anything. An addon of the table
 * (known-addons.ts), or one that the user allowed, is a note. Any other is a gap in a recording and refused
 * in a replay.
 */
import { label } from '../../base/index.ts'
import { packageOfFile } from '../../real/package-of-file.ts'
import { realProcess } from '../../real/program.ts'
import { deniesAddons } from '../../real/walled.ts'
import { activeSession } from '../context.ts'
import { databaseAddonPatches, isDatabasePackage } from '../files/databases.ts'
import { stayOn, watchLoaded } from '../loaded-files.ts'
import { type Patch, patchFunction } from '../patches.ts'
import { sessionField } from '../session-field.ts'
import { knownAddon } from './known-addons.ts'

const PROCESS = label('process')

/** A separate boundary intercepts each function of these: see terminal/node-pty.ts. */
const TERMINAL = 'pty.node'

export type VouchedAddons = {
  /** Names of packages, or of files without a package, that the recording allowed. */
  readonly names: ReadonlySet<string>
  /** Called when one of `names` is loaded. */
  used?(name: string): void
}

/** A session has none unless it is given some. */
export const vouchedFor = sessionField<VouchedAddons>(() => ({ names: new Set() }))

export function addonPatch(): Patch {
  return patchFunction(realProcess, 'dlopen', (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const file = String(args[1])
      const session = activeSession('process')
      if (session === null) return Reflect.apply(original, this, args)
      const vouched = vouchedFor.get(session)
      const owner = packageOfFile(file)
      const name = owner?.name ?? fileName(file)
      const isKnown = owner !== null && knownAddon(owner.name, owner.version) !== null
      const isVouched = vouched.names.has(name) || vouched.names.has(fileName(file))
      if (isVouched) vouched.used?.(name)
      if (!isKnown && !isVouched) {
        const reason = `native addon ${name}`
        if (session.isLive(PROCESS))
          session.gap(PROCESS, `${reason}${owner === null ? '' : ` ${owner.version}`} (${fileName(file)})`)
        // Starting an effect that no tape has throws the divergence, and keeps it.
        else session.start(PROCESS, reason, () => undefined)
      } else if (fileName(file) !== TERMINAL)
        session.note(PROCESS, `native code was loaded: ${fileName(file)}`)
      if (isKnown && fileName(file) === TERMINAL && deniesAddons) return standInForTerminals(args[0])
      const result: unknown = Reflect.apply(original, this, args)
      // Also if the program calls `process.dlopen` itself, without the module loader.
      const exports = exportsOf(args[0])
      watchLoaded(file, exports)
      if (isDatabasePackage(name)) watchDatabase(name, exports)
      return result
    }
  })
}

/**
 * A replay starts no terminal, so none of these is called. A program that loads node-pty and starts nothing leaves
 * no record of it, and Node denies its native part: the wall knows only what is on the tape.
 */
function standInForTerminals(module: unknown): void {
  if (typeof module !== 'object' || module === null) return
  const refuse = (): never => {
    throw new Error('a replay opens no terminal')
  }
  Reflect.set(module, 'exports', { fork: refuse, open: refuse, process: refuse, resize: refuse })
}

function exportsOf(module: unknown): unknown {
  return typeof module === 'object' && module !== null ? Reflect.get(module, 'exports') : null
}

function watchDatabase(name: string, exports: unknown): void {
  if (typeof exports !== 'object' || exports === null) return
  for (const patch of databaseAddonPatches(name, exports)) stayOn(patch)
}

/** Without its folder, which differs on another machine. */
function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? ''
}
