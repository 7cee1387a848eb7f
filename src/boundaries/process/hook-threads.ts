/**
 * Notes that a program registers module hooks, which run on a thread of their own (`module.register`). The
 * thread loads the program's modules, so it runs in a replay too; the note says that the replay needs it.
 */
import { label } from '../../base/index.ts'
import { builtinModule } from '../../real/module-names.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'

const WORKER = label('worker')

export function hookNotes(): Patch[] {
  const owner = builtinModule('module')
  if (owner === undefined || typeof Reflect.get(owner, 'register') !== 'function') return []
  return [
    patchFunction(owner, 'register', (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const session = activeSession('process')
        if (session?.isLive(PROCESS) === true)
          session.note(WORKER, 'hooks on a thread of their own were registered')
        return Reflect.apply(original, this, args)
      }
    }),
  ]
}

const PROCESS = label('process')
