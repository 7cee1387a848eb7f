/**
 * Subprocesses cannot be recorded yet. A recording lets them run and keeps a gap, so that no run with one is ever called verified; a replay refuses
 * them with a divergence, because a replay starts nothing.
 *
 * Every asynchronous form ends in `ChildProcess.prototype.spawn`; the synchronous ones each have their own way.
 */
import { label } from '../../base/index.ts'
import { childProcessOwners } from '../../real/child-process-owners.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'

const PROCESS = label('process')

export function uncapturedProcessPatches(): Patch[] {
  const { childProcess, childPrototype } = childProcessOwners
  return [
    standingBefore(childPrototype, 'spawn', ([options]) => fileOf(options)),
    standingBefore(childProcess, 'spawnSync', ([program]) => String(program)),
    standingBefore(childProcess, 'execFileSync', ([program]) => String(program)),
    standingBefore(childProcess, 'execSync', () => 'a shell'),
  ]
}

function standingBefore(owner: object, property: string, nameOf: (args: readonly unknown[]) => string): Patch {
  return patchFunction(owner, property, (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('process')
      if (session !== null) passOrRefuse(session, `the subprocess ${nameOf(args)}`)
      return Reflect.apply(original, this, args)
    }
  })
}

function passOrRefuse(session: Session, what: string): void {
  if (session.mode === 'record') session.gap(PROCESS, `${what} is not recorded yet`)
  // Nothing of this sort is on any tape: starting it throws the divergence, and keeps it.
  else session.start(PROCESS, what, () => undefined)
}

function fileOf(options: unknown): string {
  return typeof options === 'object' && options !== null && 'file' in options ? String(options.file) : 'of unknown name'
}
