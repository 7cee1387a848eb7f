/**
 * The classes of Node's native handles, which a program can get from the constructor of any handle
 * (`process.stdout._handle`). In a replay they cannot connect, bind, listen or start anything. In a recording
 * their calls pass, because a function above has let them pass.
 */
import { walledPipe, walledTcp } from '../../real/child-handles.ts'
import { nativeBinding } from '../../real/native-binding.ts'
import { isWalled } from '../../real/walled.ts'
import { udpClass } from '../../real/walled-classes.ts'
import type { CrossingName } from '../names.ts'
import type { LatePatches, Patch } from '../patches.ts'
import { refusalPatches } from './refuse.ts'

type Handles = {
  readonly [part: string]: {
    readonly name: string
    readonly methods: string
    readonly boundary: CrossingName
  }
}

const HANDLES: Handles = {
  tcp_wrap: { name: 'TCP', methods: 'bind bind6 connect connect6 listen', boundary: 'network' },
  pipe_wrap: { name: 'Pipe', methods: 'bind connect listen', boundary: 'network' },
  process_wrap: { name: 'Process', methods: 'spawn', boundary: 'process' },
}

const DATAGRAMS: Handles = {
  udp_wrap: { name: 'UDP', methods: 'bind bind6 connect connect6 send send6', boundary: 'network' },
}

/** Behind the wall Node denies bindings, and starts no process. */
const WALLED: { readonly [part: string]: () => unknown } = {
  tcp_wrap: () => walledTcp,
  pipe_wrap: () => walledPipe,
  udp_wrap: udpClass,
}

/** No such handle exists before its module is loaded. `child_process` loads `net`. */
export const nativeHandlePatches: readonly LatePatches[] = [
  { module: 'net', make: () => handlePatches(HANDLES) },
  { module: 'dgram', make: () => handlePatches(DATAGRAMS) },
]

function handlePatches(handles: Handles): Patch[] {
  return Object.entries(handles).flatMap(([part, { name, methods, boundary }]) => {
    const native: unknown = isWalled ? WALLED[part]?.() : Reflect.get(nativeBinding(part) ?? {}, name)
    if (typeof native !== 'function') return []
    return methods.split(' ').flatMap((method) =>
      refusalPatches(native.prototype, method, {
        name: `${name}.${method}`,
        boundary,
        isHarmless: (_args, isLive) => isLive,
      }),
    )
  })
}
