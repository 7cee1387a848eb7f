/**
 * Adds a note if a program registers module hooks, which run on their own thread (`module.register`). The
 * thread loads the program's modules, so it runs in a replay too; the note records that the replay needs it.
 * A replay of a program that registered none refuses them: nothing observes what the thread does.
 */
import { label } from '../../base/index.ts'
import { builtinModule } from '../../real/module-names.ts'
import { activeSession, markByContext } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import { sessionField } from '../session-field.ts'

const WORKER = label('worker')

/** Whether the recorded program registered hooks, or may have. */
export const mayRegisterHooks = sessionField<boolean>(() => false)

export function hookNotes(): Patch[] {
  const owner = builtinModule('module')
  if (owner === undefined || typeof Reflect.get(owner, 'register') !== 'function') return []
  return [
    patchFunction(owner, 'register', (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        markByContext()
        const session = activeSession('process')
        if (session?.isLive(PROCESS) === true)
          session.note(WORKER, 'hooks on a thread of their own were registered')
        // Starting an effect that no tape has throws the divergence, and keeps it.
        else if (session !== null && !mayRegisterHooks.get(session))
          session.start(PROCESS, 'module.register', () => undefined)
        return Reflect.apply(original, this, args)
      }
    }),
    // A program that waits as hooks do (decision 0420).
    ...(typeof Reflect.get(Atomics, 'waitAsync') === 'function' ? [waitPatch] : []),
  ]
}

const waitPatch: Patch = patchFunction(Atomics, 'waitAsync', (original) => {
  return function (this: unknown, ...args: unknown[]): unknown {
    markByContext()
    return Reflect.apply(original, this, args)
  }
})

const PROCESS = label('process')
