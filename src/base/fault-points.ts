/**
 * Named places inside the real write paths where a test can make the world fail: throw ENOSPC there, or kill
 * the process between two writes.
 *
 * Nothing is armed outside tests: an unarmed point costs one comparison. Names are listed by the layer that
 * owns them.
 */
export type FaultHook = (point: string) => void

let armed: FaultHook | null = null

export function faultPoint(point: string): void {
  if (armed !== null) armed(point)
}

export function armFaults(hook: FaultHook): Disposable {
  const previous = armed
  armed = hook
  return {
    [Symbol.dispose]() {
      armed = previous
    },
  }
}
