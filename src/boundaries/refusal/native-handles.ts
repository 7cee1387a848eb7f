/**
 * The classes of Node's native handles, which a program can get from the constructor of any handle
 * (`process.stdout._handle`). In a replay they cannot connect, bind, listen or start anything. In a recording
 * their calls pass, because a function above has let them pass.
 */
import { walledPipe, walledTcp } from '../../real/child-handles.ts'
import { nativeBinding } from '../../real/native-binding.ts'
import { isWalled } from '../../real/walled.ts'
import type { LatePatches, Patch } from '../patches.ts'
import { refusalPatches } from './refuse.ts'

const HANDLES = {
  tcp_wrap: { TCP: 'bind bind6 connect connect6 listen' },
  pipe_wrap: { Pipe: 'bind connect listen' },
} as const

const WALLED = { tcp_wrap: walledTcp, pipe_wrap: walledPipe } as const

/** No such handle exists before `net` is loaded. */
export const nativeHandlePatches: LatePatches = { module: 'net', make: handlePatches }

function handlePatches(): Patch[] {
  return Object.entries(HANDLES).flatMap(([part, classes]) =>
    Object.entries(classes).flatMap(([name, methods]) => {
      const native: unknown = isWalled
        ? WALLED[part as keyof typeof HANDLES]
        : Reflect.get(nativeBinding(part) ?? {}, name)
      if (typeof native !== 'function') return []
      return methods.split(' ').flatMap((method) =>
        refusalPatches(native.prototype, method, {
          name: `${name}.${method}`,
          boundary: 'network',
          isHarmless: (_args, isLive) => isLive,
        }),
      )
    }),
  )
}
