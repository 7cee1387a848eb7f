/** How a program lets go of a connection, done to the real socket in a recording. */
import type { RealSocket } from '../../real/sockets.ts'
import { outside } from '../context.ts'

/** `orderly`: what was written is still sent. `reset`: the peer gets an error (`socket.resetAndDestroy()`). */
export type Closing = 'orderly' | 'at once' | 'reset'

export function closingOf(
  isReset: boolean,
  { writableFinished }: { readonly writableFinished: boolean },
): Closing {
  if (isReset) return 'reset'
  return writableFinished ? 'orderly' : 'at once'
}

export function closeSocket(real: RealSocket, closing: Closing): void {
  outside(() => {
    // Node resets connections of TCP only, and throws for others.
    if (closing === 'reset' && real.remotePort !== undefined && !('encrypted' in real)) real.resetAndDestroy()
    else if (closing === 'orderly') real.destroySoon()
    else real.destroy()
  })
}
