/**
 * One immediate of a program in a session. It asks nothing of the world, so its outcome arrives at once; the gate gives it its turn.
 */
import { label } from '../../base/index.ts'
import { type ImmediateHandle, unarmedImmediate } from '../../real/clock-owners.ts'
import type { Effect, Session } from '../session.ts'

const CLOCK = label('clock')

type Immediate = { readonly effect: Effect; ref: boolean; open: boolean }

const immediates = new WeakMap<object, Immediate>()

export function startImmediate(
  session: Session,
  api: string,
  callback: (...args: never[]) => unknown,
  args?: unknown[],
  ref = true,
): ImmediateHandle {
  const handle = unarmedImmediate(callback as (...args: unknown[]) => unknown, args)
  const effect = session.start(CLOCK, api, () => fire(handle), { ref })
  immediates.set(handle, { effect, ref, open: true })
  if (session.mode === 'record') effect.arrive({ type: 'timer' })
  return handle
}

export function sessionImmediate(value: unknown): ImmediateHandle | null {
  return typeof value === 'object' && value !== null && immediates.has(value) ? (value as ImmediateHandle) : null
}

export function clearSessionImmediate(handle: ImmediateHandle): void {
  const immediate = of(handle)
  if (immediate.open) immediate.effect.close()
  immediate.open = false
  handle._onImmediate = null
}

export function setImmediateRef(handle: ImmediateHandle, ref: boolean): void {
  const immediate = of(handle)
  // Node's own does nothing once it has run.
  if (!immediate.open) return
  immediate.ref = ref
  immediate.effect.setRef(ref)
}

export function immediateHasRef(handle: ImmediateHandle): boolean {
  const { open, ref } = of(handle)
  return open && ref
}

function fire(handle: ImmediateHandle): void {
  const callback = handle._onImmediate
  const args = handle._argv ?? []
  clearSessionImmediate(handle)
  callback?.apply(handle, args)
}

function of(handle: ImmediateHandle): Immediate {
  const immediate = immediates.get(handle)
  if (immediate === undefined) throw new TypeError('not an immediate of a session')
  return immediate
}
